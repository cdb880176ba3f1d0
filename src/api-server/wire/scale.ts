/** The subresource `scale` of workloads and of custom resources that define it: how many replicas, and nothing else. */
import { apiVersionOf, type KubeObject, type ResourceType } from '../../kube/types.ts';
import type { ScalePaths } from '../definition.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import type { ApiServer } from '../index.ts';
import { mergePatched } from '../patches.ts';
import { badRequest, invalid, Refusal } from '../refusals.ts';
import { invalidValue } from '../schema/faults.ts';
import type { WireRequest } from './requests.ts';
import { selectorText } from './table/selectors.ts';

/** The paths of workloads; an absent number of replicas is 1 there. */
export const WORKLOAD_SCALE: ScalePaths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
export const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/**
 * Reads or writes how many replicas an object wants.
 * @returns a Scale of autoscaling/v1
 * @throws Refusal
 */
export function scaled(
  server: ApiServer,
  { verb, type, namespace, name = '', patch, query, body }: WireRequest,
  paths: ScalePaths,
): object {
  const at = { type, namespace, name };
  const current = scaleOf(type, server.objects.get(at), paths);
  if (verb === 'get') return current;
  if (verb !== 'update' && !(verb === 'patch' && patch === 'merge'))
    throw new Refusal(405, 'MethodNotAllowed', 'a scale is read, replaced, or patched by a merge patch');
  const wanted = verb === 'update' ? (body as Json) : mergePatched(current as unknown as Json, body as Json);
  const replicas = valueAt(isMap(wanted) ? wanted : {}, '.spec.replicas');
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest(`spec.replicas: expected a whole number, found ${JSON.stringify(replicas)}`);
  if (replicas < 0)
    throw invalid({ type: { ...type, ...SCALE_KIND }, name }, [
      invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  const writing = { manager: query.get('fieldManager') ?? 'unknown', ...(query.get('dryRun') === 'All' && { dryRun: true }) };
  const made = server.objects.patch(at, 'merge', nested(paths.specReplicasPath, replicas), writing);
  return scaleOf(type, made, paths);
}

function scaleOf(type: ResourceType, object: KubeObject, paths: ScalePaths): object {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const whole = object as unknown as JsonMap;
  const selector = paths.labelSelectorPath ? valueAt(whole, paths.labelSelectorPath) : selectorText(valueAt(whole, '.spec.selector'));
  return {
    apiVersion: apiVersionOf({ ...type, ...SCALE_KIND }),
    kind: SCALE_KIND.kind,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: valueAt(whole, paths.specReplicasPath) ?? (paths === WORKLOAD_SCALE ? 1 : 0) },
    status: {
      replicas: valueAt(whole, paths.statusReplicasPath) ?? 0,
      ...(typeof selector === 'string' && selector !== '' && { selector }),
    },
  };
}

const steps = (path: string): readonly string[] => path.split('.').slice(1);
const valueAt = (object: JsonMap, path: string): Json | undefined =>
  steps(path).reduce<Json | undefined>((value, key) => (isMap(value) ? value[key] : undefined), object);
const nested = (path: string, value: number): object =>
  steps(path).reduceRight<unknown>((below, key) => ({ [key]: below }), value) as object;
