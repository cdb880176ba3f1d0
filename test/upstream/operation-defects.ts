import type { Decision } from './runtime-defects.ts';

const OPERATIONS = 'reconciler/operations';

/** Defects of Fluid's operations, by the numbers under which they were found. */
export const operationDefects: Readonly<Record<string, Decision>> = {
  D1: {
    fluid: 'a DataBackup ends the controller',
    decided: 'it is followed as every operation',
    shown: [`${OPERATIONS}/backup.test.ts`, 'D1: a controller that starts while it runs reports how it ends'],
  },
  D2: {
    fluid: 'a DataBackup needs a right that the controller has not',
    decided: 'it is a Job',
    shown: [`${OPERATIONS}/backup.test.ts`, 'D2: its pod is created by Kubernetes, so that the controller needs no right to create pods'],
  },
  D3: {
    fluid: 'OnEvent installs and uninstalls for ever',
    decided: 'it runs when the mounts in effect change',
    shown: [`${OPERATIONS}/on-event.test.ts`, '30 s after the last change of the mounts it runs again, and says so meanwhile'],
  },
  D4: {
    fluid: 'two operations of one name end the controller',
    decided: 'they are looked up by kind',
    shown: [`${OPERATIONS}/order.test.ts`, 'names one by kind: another kind has the same names'],
  },
  D5: {
    fluid: 'a failed predecessor is waited for, in any namespace',
    decided: 'it fails the successor; another namespace has to allow it',
    shown: [`${OPERATIONS}/order.test.ts`, 'an operation fails with the one that it waits for, and the next with it'],
  },
  D6: {
    fluid: 'affinity is lost beside one of the user',
    decided: 'both hold',
    shown: [`${OPERATIONS}/order.test.ts`, 'is added to what the user demands'],
  },
  D7: {
    fluid: 'affinity is lost when a Job ends too soon',
    decided: 'the node is read from the pod that ended',
    shown: [`${OPERATIONS}/order.test.ts`, 'is of the node of the earlier operation, which its status records'],
  },
  D8: {
    fluid: 'operationRef locks nothing, and keeps empty entries',
    decided: 'it is a projection of what runs',
    shown: [`${OPERATIONS}/killed.test.ts`, 'request %d, %s: each load has one Job, and the Dataset names the one that runs'],
  },
  D9: {
    fluid: 'a DataMigrate that never ran makes its Dataset Bound',
    decided: 'the phase is a projection of what runs',
    shown: [`${OPERATIONS}/migrate.test.ts`, 'keep their phase when a migration fails, or is deleted, without having run'],
  },
  D10: {
    fluid: 'a CronJob whose status is late ends the controller',
    decided: 'its Job is followed',
    shown: [`${OPERATIONS}/cron.test.ts`, 'the Job is followed though the CronJob does not say yet that it was started'],
  },
  D11: {
    fluid: 'a DataProcess with a schedule is looked at once',
    decided: 'its Jobs are watched',
    shown: [`${OPERATIONS}/process.test.ts`, 'with a schedule it is looked at again after each run'],
  },
  D12: {
    fluid: 'a DataMigrate with a schedule and a node selector is invalid YAML',
    decided: 'it is no text',
    shown: ['runtimes/juicefs/migrate.test.ts', 'of a schedule have place, tolerations and selector as others, and no suspended Jobs'],
  },
  D13: {
    fluid: 'sshReadyTimeoutSeconds has no effect',
    decided: 'it has',
    shown: ['runtimes/juicefs/migrate.test.ts', 'have the keys of their user, port and patience, if there are any'],
  },
  D14: {
    fluid: 'the pods of a DataMigrate keep away from a label that none has',
    decided: 'from their own',
    shown: ['runtimes/juicefs/migrate.test.ts', 'are where their user wants them, and keep away from each other by a label that they have'],
  },
  D15: {
    fluid: 'two claims, or two community file systems, get in the way of each other',
    decided: 'each end has volume, variable and sub path of its own',
    shown: ['runtimes/juicefs/migrate.test.ts', 'each community file system has its address in a variable of its own'],
  },
  D16: {
    fluid: 'URLs and options are read by a shell',
    decided: 'they are arguments of a fixed script',
    shown: ['runtimes/juicefs/migrate.test.ts', 'are arguments, each one word; timeout is the time of a run'],
  },
  D17: {
    fluid: 'Jindo: keys in the log',
    decided: 'a list of files, which has keys, is refused',
    shown: ['runtimes/load/script.test.ts', "['url', 'oss://b/list', 'paths in spec.target']"],
  },
  D18: {
    fluid: 'files with values stay in the controller',
    decided: 'it writes no file: its root file system is read-only',
    shown: ['../src/install/settled.ts', 'readOnlyRootFilesystem: true'],
  },
  D19: {
    fluid: 'a JuiceFS load without workers is complete',
    decided: 'it waits for a worker',
    shown: [`${OPERATIONS}/data-load.test.ts`, 'a worker is ready'],
  },
  D20: {
    fluid: 'the pod of a CacheRuntime’s DataLoad has the path of a file that is not mounted',
    decided: 'the file is mounted',
    shown: ['runtimes/cache/load.test.ts', 'have runtime.json'],
  },
  D21: {
    fluid: 'an engine is remembered by the name of its Dataset',
    decided: 'nothing is remembered',
    shown: [`${OPERATIONS}/backup.test.ts`, 'D21: the master that runs now is backed up, whatever backups were before'],
  },
  D22: {
    fluid: 'helm is a program whose output is parsed',
    decided: 'there is no helm: objects are rendered in the process',
    shown: [`${OPERATIONS}/data-load.test.ts`, 'it creates its Job, runs, and is complete once the Job is'],
  },
  D23: {
    fluid: 'what is not supported has no condition, and no end of its time',
    decided: 'every end has one',
    shown: [`${OPERATIONS}/order.test.ts`, 'counts for one that failed without having run, and may be longer than a timer'],
  },
  D24: {
    fluid: 'on a reference an operation has no phase',
    decided: 'it fails, with the reason; a DataProcess runs',
    shown: ['reconciler/references.test.ts', 'D24: fails a DataLoad with the reason, and runs a DataProcess'],
  },
  D25: {
    fluid: 'events repeat, and an empty namespace finds nothing',
    decided: 'an event for each end; the namespace is that of the operation',
    shown: [
      `${OPERATIONS}/data-load.test.ts`,
      'a Job that exists is not made anew when pods of the runtime change, and what is over is left alone',
    ],
  },
};
