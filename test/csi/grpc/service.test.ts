import { expect, test } from 'vitest';
import { CsiError, status } from '../../../src/csi/grpc/errors.ts';
import { serviceOf } from '../../../src/csi/grpc/service.ts';
import { Identity } from '../../../src/csi/grpc/proto/csi.gen.ts';
import { ApiError, NoAnswer } from '../../../src/kube/errors.ts';
import { silent } from '../../../src/kube/types.ts';

const REQUEST = { method: 'PATCH', path: '/api/v1/nodes/n' };
const answer = (code: number) => new ApiError(REQUEST, code, 'no');

/** INTERNAL is final to the kubelet: it would take a volume for not staged, and never unstage it. */
test.each([
  ['no answer came', new NoAnswer(REQUEST, new Error('timeout'), { mayHaveArrived: true }), status.UNAVAILABLE],
  ['the API server failed', answer(500), status.UNAVAILABLE],
  ['a proxy found no server', answer(503), status.UNAVAILABLE],
  ['there were too many requests', answer(429), status.UNAVAILABLE],
  ['the write conflicted', answer(409), status.UNAVAILABLE],
  ['a right is missing', answer(403), status.INTERNAL],
  ['it is a CsiError', new CsiError(status.NOT_FOUND, 'gone'), status.NOT_FOUND],
  ['it is a defect', new TypeError('x is not a function'), status.INTERNAL],
])('when %s, the kubelet gets a code that says whether to retry', async (_, error, code) => {
  const fail = () => Promise.reject(error);
  const methods = serviceOf(Identity, { probe: fail, getPluginInfo: fail, getPluginCapabilities: fail }, silent);
  const call = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };
  await expect(methods.get('/csi.v1.Identity/Probe')?.(new Uint8Array(), call)).rejects.toMatchObject({ code, message: error.message });
});
