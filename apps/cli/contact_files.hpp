// SPDX-License-Identifier: Apache-2.0
// Contacts of a run on disk: contacts.csv, and with format vtu frames/contacts_0000.vtu ... contacts.pvd.
// contacts.csv grows as contacts.csv.part and gets its name at the end; a resumed run goes on with what it finds.
#pragma once

#include <filesystem>
#include <vector>

#include "pliant/io/file_handle.hpp"
#include "pliant/scene/build.hpp"

namespace pliant::cli {

class ContactFiles {
 public:
  /// In the folder of a run; `first_frame` > 0: goes on, keeps what is there of frames before it. Throws InputError.
  ContactFiles(std::filesystem::path folder, bool vtu, int first_frame);

  void write(const Scene& scene, int frame);
  /// Makes the files whole.
  void finish(const Scene& scene);

  /// What a run leaves of them in its folder, besides frames/.
  static const std::vector<std::string>& names();

 private:
  void append(const std::string& text);
  void write_points(const Scene& scene, int frame) const;
  std::filesystem::path points_file(int frame) const;

  std::filesystem::path folder_;
  bool vtu_ = false;
  FileHandle file_;
  std::size_t bytes_ = 0;
  int last_frame_ = 0;
};

}  // namespace pliant::cli
