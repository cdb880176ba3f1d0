/** Services of protobuf-es descriptors, answered by functions: methods as unary.ts serves them. */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { GenService } from '@bufbuild/protobuf/codegenv2';
import { systemClock } from '../../kube/clock.ts';
import { ApiError, mayPass, messageOf } from '../../kube/errors.ts';
import type { Log } from '../../kube/types.ts';
import { CsiError, status } from './errors.ts';
import type { Call, UnaryMethod } from './unary.ts';

type Answer = Record<string, unknown>;
type Methods = GenService<Record<string, { methodKind: 'unary'; input: DescMessage; output: DescMessage }>>['method'];
export type Handlers<S extends { readonly method: Methods }> = {
  readonly [M in keyof S['method']]: S['method'][M] extends DescMethodUnary<infer Input, infer Output>
    ? (request: MessageShape<Input>, call: Call) => Promise<MessageInitShape<Output>> | MessageInitShape<Output>
    : never;
};

/** Fields of requests that a log line shows; all others may be long, or confidential. */
const SHOWN = ['volumeId', 'targetPath', 'volumePath'] as const;
/** Called every few seconds by the kubelet and by probes: logged at level debug. */
const QUIET = new Set(['probe', 'getPluginInfo', 'getPluginCapabilities', 'nodeGetCapabilities', 'nodeGetVolumeStats']);

/** Methods by their paths. Each call is logged once, and each error becomes a code that the kubelet understands. */
export function serviceOf<S extends DescService & { readonly method: Methods }>(
  service: S,
  handlers: Handlers<S>,
  log: Log,
): ReadonlyMap<string, UnaryMethod> {
  const methods = new Map<string, UnaryMethod>();
  for (const [name, { input, output, name: rpc }] of Object.entries(service.method)) {
    // The descriptor says of what type the message is that it has just read, which TypeScript cannot follow from a name.
    const handle = handlers[name as keyof typeof handlers] as (request: unknown, call: Call) => Answer | Promise<Answer>;
    methods.set(`/${service.typeName}/${rpc}`, async (bytes, call) => {
      const began = systemClock.monotonic();
      let fields: Readonly<Record<string, unknown>> = {};
      const logCall = (level: 'debug' | 'info' | 'warn' | 'error', more: object) =>
        log[level]({ rpc, ...fields, ...more, ms: Math.round((systemClock.monotonic() - began) * 10) / 10 }, 'call');
      try {
        const request = fromBinary(input, bytes) as Readonly<Record<string, unknown>>;
        fields = Object.fromEntries(SHOWN.flatMap((field) => (request[field] ? [[field, request[field]]] : [])));
        const answer = toBinary(output, create(output, await handle(request, call)));
        logCall(QUIET.has(name) ? 'debug' : 'info', {});
        return answer;
      } catch (error) {
        const failure = errorFor(error);
        const isDefect = failure.code === status.INTERNAL;
        logCall(isDefect ? 'error' : 'warn', { code: status[failure.code], ...(isDefect ? { err: error } : { error: failure.message }) });
        throw failure;
      }
    });
  }
  return methods;
}

/** The kubelet takes INTERNAL for final, and undoes nothing. After a request without an answer that would be wrong: UNAVAILABLE. */
function errorFor(error: unknown): CsiError {
  if (error instanceof CsiError) return error;
  const message = messageOf(error);
  return new CsiError(isPassing(error) ? status.UNAVAILABLE : status.INTERNAL, message, { cause: error });
}

/** The API server did not answer, or a retry may succeed. */
const isPassing = (error: unknown): boolean => mayPass(error) || (error instanceof ApiError && error.status === 409);
