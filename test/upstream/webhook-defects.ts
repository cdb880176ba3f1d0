import type { Decision } from './runtime-defects.ts';

const SIDECAR = 'webhook/sidecar/fuse-sidecar.test.ts';
const ADMIT = 'webhook/server/admit.test.ts';
const STOPS = 'reconciler/applications';

/** Defects of Fluid's webhook and sidecars (W) and of its application controller (A), by the numbers under which they were found. */
export const webhookDefects: Readonly<Record<string, Decision>> = {
  W1: {
    fluid: 'a pod whose sidecar cannot be made is admitted without it',
    decided: 'it is denied; a hint never denies',
    shown: [ADMIT, 'denies a pod that asks for a sidecar'],
  },
  W2: {
    fluid: 'a kind that may not be listed holds up a pod for 15 s',
    decided: 'rights are as the watches need, and a kind that is missing counts as empty',
    shown: ['webhook/watches/watches.test.ts', 'a kind that is not installed keeps no replica from being ready'],
  },
  W3: {
    fluid: 'EFC, Vineyard and Cache never have sidecars',
    decided: 'the mount is found by its propagation; who cannot is denied with the reason',
    shown: [SIDECAR, 'if its client cannot be a sidecar'],
  },
  W4: {
    fluid: 'native sidecars of a second round have the names of the first',
    decided: 'all containers are counted',
    shown: [SIDECAR, 'may use one another: the client that is used starts first'],
  },
  W5: {
    fluid: 'several Datasets are alternatives',
    decided: 'all of them are required',
    shown: ['webhook/plugins/scheduling.test.ts', 'requires the caches of all such Datasets at once'],
  },
  W6: {
    fluid: 'init containers read an empty directory',
    decided: 'native sidecars, or the pod is denied',
    shown: [SIDECAR, 'may read early, in an init container, with native sidecars only'],
  },
  W7: {
    fluid: 'only the first container of the fuse pod comes along',
    decided: 'all do, with init containers and pull secrets',
    shown: [SIDECAR, 'comes along: init containers before the client, other containers beside it, and pull secrets'],
  },
  W8: {
    fluid: 'paths are joined into a script of a privileged container',
    decided: 'they are arguments of a fixed one',
    shown: ['webhook/sidecar/script.test.ts', 'a client has mounted when something else than the host directory is there'],
  },
  W9: {
    fluid: 'a tenant gets a privileged container',
    decided:
      'the same, since mounts propagate from no other; Pod Security judges the pod after the webhook, and `unprivileged` has no privilege',
    shown: [SIDECAR, 'has no privilege, device or mount of the host'],
  },
  W10: {
    fluid: 'pods of one Dataset share a path, or leave directories behind',
    decided: 'each has its own, which the client removes',
    shown: ['webhook/sidecar/script.test.ts', 'the end unmounts, removes the directory of the pod, and leaves those of other pods'],
  },
  W11: {
    fluid: 'certificates are checked at the start only, and replicas overwrite each other',
    decided: 'they are renewed while serving; the Secret is the only truth',
    shown: ['webhook/certificates/certificates.test.ts', 'is one, however many replicas start at once'],
  },
  W12: {
    fluid: 'an admission writes ConfigMaps',
    decided: 'it writes nothing',
    shown: [ADMIT, 'is not asked for if nothing is denied'],
  },
  W13: {
    fluid: 'the second try asks the API server for one of several things',
    decided: 'all that was missing is read',
    shown: [ADMIT, 'is read once before a pod is denied, one thing after the other, and the pod admitted'],
  },
  W14: {
    fluid: 'older labels match no selector',
    decided: 'they have entries of their own',
    shown: ['webhook/mutate.test.ts', "['fuse.sidecar.fluid.io/inject', ['images'], 'serverless-with']"],
  },
  W15: {
    fluid: 'what is remembered of runtimes is as old as ten minutes',
    decided: 'watches know it',
    shown: ['webhook/watches/watches.test.ts', 'is found by its name, as it is now, with what only the API server writes'],
  },
  W16: {
    fluid: 'a claim that does not exist yet fails the pod',
    decided: 'the same for a sidecar, with the remedy; hints do without',
    shown: ['webhook/mutate.test.ts', 'if it asks for a sidecar and a claim does not exist, after which is asked once more'],
  },
  W17: {
    fluid: 'the prefetcher needs bash, cannot have `=` in a variable, and differs each time',
    decided: 'sh, values with `=`, the same each time',
    shown: ['webhook/plugins/file-prefetcher.test.ts', 'gets a container that reads them before its own start, the same each time'],
  },
  A1: {
    fluid: 'a sidecar that fails ends the work on the others, as if done',
    decided: 'the others are stopped, and it is retried and reported',
    shown: [`${STOPS}/stop-sidecars.test.ts`, 'are stopped though one of them fails, which is retried with back-off and reported'],
  },
  A2: {
    fluid: 'a preStop with quotes or pipes is refused silently',
    decided: 'it is executed as it is',
    shown: [`${STOPS}/sidecars-to-stop.test.ts`, 'by its own preStop, as it is written: no guard refuses it'],
  },
  A3: {
    fluid: 'unprivileged sidecars run on',
    decided: 'they are stopped',
    shown: [`${STOPS}/sidecars-to-stop.test.ts`, 'on the platform unprivileged'],
  },
  A4: {
    fluid: "a user's container is taken for a sidecar by its name",
    decided: 'labels record the containers that were added',
    shown: [`${STOPS}/sidecars-to-stop.test.ts`, 'that a user named like a client'],
  },
};
