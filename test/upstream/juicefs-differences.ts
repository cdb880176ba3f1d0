import type { Difference } from './difference.ts';

const SCRIPT = /^ConfigMap\/.*-(worker|fuse)-script$/;

/** Where JuiceFS itself does not do what Fluid expects of it. */
export const juicefsDifferences: readonly Difference[] = [
  {
    cases: /^juicefs\//,
    object: SCRIPT,
    path: /^data\[script\.sh\]\.step\[0\]$/,
    fluid: /juicefs format start/,
    ours: /juicefs status start/,
    reason: 'As below.',
  },
  {
    cases: /^juicefs\//,
    object: SCRIPT,
    path: /^data\[script\.sh\]\.step\[1\]$/,
    fluid: /"format","--no-update",/,
    ours: /"status","<METAURL>"\]$/,
    reason:
      'Without `storage` and `bucket`, `format --no-update` creates a volume that keeps its data in a directory of the container. The volume must exist.',
  },
  {
    cases: /^juicefs\//,
    object: SCRIPT,
    path: /^data\[script\.sh\]\.step\[1\]$/,
    fluid: /"format",.*"--attr-cache=7200"/,
    ours: /"format",(?!.*attr-cache)/,
    reason: '`juicefs format` ends when it gets an option of `juicefs mount`. Each option goes to the command that knows it.',
  },
  {
    cases: /^juicefs\//,
    object: SCRIPT,
    path: /^data\[script\.sh\]\.step\[3\]$/,
    fluid: /"quota","set",/,
    ours: /"quota","set",.*,"--create"\]$/,
    reason: '`juicefs quota set` ends where the directory does not exist, and the client with it.',
  },
  {
    cases: /^juicefs\//,
    object: /^StatefulSet\//,
    path: /^spec\.template\.spec\.containers\[juicefs-worker\]\.terminationMessagePolicy$/,
    fluid: /^"File"$/,
    ours: /^"FallbackToLogsOnError"$/,
    reason: 'The status of the worker says why its client ended.',
  },
];
