// SPDX-License-Identifier: Apache-2.0
// The first script: small, so that socket and drawing context are on their way before the rest is here.

import { link, probe } from './early';
import { mark } from './marks';

mark('script');
const rest = import('./main');
link.connect();
probe();
await rest;
