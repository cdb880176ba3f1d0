import type { Decision } from './runtime-defects.ts';

const JINDO = 'runtimes/jindo';

/** Defects of Jindo, by their number in the list of those seen; several of one number have a letter each. */
export const jindoDefects: Readonly<Record<string, Decision>> = {
  '10 jindo': {
    fluid: 'it writes the memory that a cache needs into the spec of the runtime',
    decided: 'workers request it; the spec is the user’s alone',
    shown: [`${JINDO}/defects.test.ts`, '10: a cache in memory is requested by workers'],
  },
  '11': {
    fluid: 'JindoCache mounts a core-site.xml that its ConfigMap lacks',
    decided: 'nothing is mounted there, or the user’s own core-site.xml',
    shown: [`${JINDO}/defects.test.ts`, '11: no container mounts a file that does not exist'],
  },
  '12a': {
    fluid: 'several directories of one quota, or of memory with a list, end its process',
    decided: 'the quota is divided, and the list added up',
    shown: [`${JINDO}/defects.test.ts`, '12: the input that ends Fluid’s process'],
  },
  '12b': {
    fluid: '`500m` is half a GiB, or half a byte',
    decided: 'sizes are computed in bytes; less than 1 MiB is refused',
    shown: [`${JINDO}/plan.test.ts`, 'at least 1Mi'],
  },
  '12c': {
    fluid: 'status.selector matches no pod',
    decided: 'it is the selector of the workers',
    shown: [`${JINDO}/defects.test.ts`, '12: the selector in the status is that of the workers'],
  },
  '12d': {
    fluid: 'fuse.tolerations and the ports of masters and workers are ignored',
    decided: 'the same, and a warning says so',
    shown: [`${JINDO}/fields.test.ts`, "'fuse.tolerations': 'as in Fluid: fuse pods tolerate every taint'"],
  },
  '12e': {
    fluid: 'cleanCachePolicy is ignored',
    decided: 'it is obeyed',
    shown: [`${JINDO}/commands.test.ts`, 'empties the directories of nodes, as often and as long as the spec says'],
  },
  '12f': {
    fluid: 'with three masters, clients know only the first',
    decided: 'they know all of them',
    shown: [`${JINDO}/defects.test.ts`, '12: clients and workers know all three masters'],
  },
  '13a': {
    fluid: 'nothing that a user says of JindoFS 3.8 has an effect',
    decided: 'it is refused, and what it left on nodes is found',
    shown: [`${JINDO}/plan.test.ts`, 'JindoFS 3.8, by %s, is refused with the reason'],
  },
  '13b': {
    fluid: 'names differ if the name of the runtime has jindofs in it',
    decided: 'names follow one rule',
    shown: [`${JINDO}/defects.test.ts`, '13: a runtime with jindofs in its name'],
  },
  '13c': {
    fluid: 'keys of an older version are in a ConfigMap',
    decided: 'they are in a Secret',
    shown: [`${JINDO}/plan.test.ts`, 'are in a Secret of ours, and in no ConfigMap, for an older version'],
  },
  '13d': {
    fluid: 'memory without cpu is lost',
    decided: 'resources are as the spec says',
    shown: [`${JINDO}/defects.test.ts`, '13: memory without cpu'],
  },
  '17 jindo': {
    fluid: 'StatefulSets name Services that do not exist, and configuration is outside of the release',
    decided: 'the name is kept where it exists, since it cannot change; configuration is in the inventory',
    shown: [`${JINDO}/defects.test.ts`, '17: every object is in the inventory'],
  },
  '19 jindo': {
    fluid: 'fuse pods are always ready, and edits reach pods only when they are made again',
    decided: 'PodsOutdated names pods that started with another configuration',
    shown: [`${JINDO}/pod.test.ts`, 'a change of what workers read outdates only workers'],
  },
  'load: list mode': {
    fluid: 'a load of a list downloads a program over HTTP into the pod, and has the keys in its log',
    decided: 'a list is refused; paths are in spec.target',
    shown: ['runtimes/load/script.test.ts', "['url', 'oss://b/list', 'paths in spec.target']"],
  },
  'load: quotes': {
    fluid: 'paths and filters are words of a shell',
    decided: 'they are arguments and variables, which are quoted',
    shown: ['runtimes/load/script.test.ts', 'every path reaches Jindo as it was written'],
  },
  'load: credentials': {
    fluid: 'the pod of a load has no keys of the store',
    decided: 'it has what clients have',
    shown: [`${JINDO}/defects.test.ts`, 'the pod of a load has the keys of the store'],
  },
  'load: tiers': {
    fluid: 'a runtime without tiers cannot be loaded',
    decided: 'it is loaded into the default tier',
    shown: [`${JINDO}/defects.test.ts`, 'a runtime without tiers can be loaded'],
  },
};
