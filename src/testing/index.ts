/** Tools for tests of runtimes; published as `@sluice-data/sluice/testing`. */

export { conformance } from './conformance.ts';
export { type Given, planInput } from './given.ts';
export {
  type ApiRequest,
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
  type HeldRequests,
  type Interference,
  type LoggedRequest,
  type Match,
  type MemoryClientOptions,
  Refusal,
  type ErrorAnswer,
  type RequestRule,
  type RequestRules,
  type Verb,
} from '../api-server/index.ts';
export { type Controller, type Controllers, createControllers } from '../api-server/controllers/index.ts';
