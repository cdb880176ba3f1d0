import type { Decision } from './runtime-defects.ts';

const VINEYARD = 'runtimes/vineyard';
const DEFECTS = `${VINEYARD}/defects.test.ts`;

/** Defects of Vineyard, by their number in the list of those seen; several of one number have a letter each. */
export const vineyardDefects: Readonly<Record<string, Decision>> = {
  '4 vineyard': {
    fluid: 'a pod that asks for a sidecar starts without one',
    decided: 'it is refused with the reason: the socket is on a node',
    shown: [DEFECTS, '4: a sidecar is refused with the reason'],
  },
  '10 vineyard': {
    fluid: 'it writes the memory that objects need into the spec of the runtime',
    decided: 'workers request it; the spec is the user’s alone',
    shown: [DEFECTS, '10: memory is requested by workers'],
  },
  '14a': {
    fluid: 'options of the worker are dropped',
    decided: 'they have effect; others are named by a warning',
    shown: [DEFECTS, '14: options of the worker have effect'],
  },
  '14b': {
    fluid: 'nothing is written to disks when memory is full',
    decided: 'the first level of disks takes it, and is cleaned at the end',
    shown: [DEFECTS, '14: a level of disks takes what does not fit in memory'],
  },
  '14c': {
    fluid: 'the client has the resources of the master',
    decided: 'it has its own',
    shown: [DEFECTS, '14: the client has its own resources'],
  },
  '14d': {
    fluid: 'the master is on the network that the worker says',
    decided: 'each component is on the network that it says',
    shown: [DEFECTS, '14: each component is on the network that it says'],
  },
  '14e': {
    fluid: 'metrics are switched off whatever the spec says',
    decided: 'the same, and a warning says so; no port is taken for them',
    shown: [DEFECTS, '14: metrics are off'],
  },
  '14f': {
    fluid: 'the rule that keeps workers apart names a label that no pod has',
    decided: 'it names theirs',
    shown: [DEFECTS, '14: two workers of one runtime are never on one node'],
  },
  '14g': {
    fluid: 'clients are no critical pods',
    decided: 'they are, as those of other runtimes',
    shown: [DEFECTS, '14: clients are critical pods'],
  },
  '14h': {
    fluid: 'an etcd that exists cannot be used',
    decided: 'it is used; a live runtime keeps the etcd that it was set up with',
    shown: [DEFECTS, '14: an etcd that exists is used'],
  },
  '14i': {
    fluid: 'placement, node affinity and tolerations of the Dataset are ignored',
    decided: 'they count',
    shown: [DEFECTS, '14: the placement, node affinity and tolerations of the Dataset count'],
  },
  '18 vineyard': {
    fluid: 'zero values are replaced by those of the chart',
    decided: 'they are what they say',
    shown: [DEFECTS, '18: an option of 0 is an option'],
  },
  '19 vineyard': {
    fluid: 'addresses of workers stay those of the installation',
    decided: 'they follow replicas, also in running clients',
    shown: [DEFECTS, '19: fuse pods follow addresses without being made again'],
  },
  'vineyard: port': {
    fluid: 'on the network of the node, the client looks for etcd at 2379, where nothing listens',
    decided: 'it gets the port that was allocated',
    shown: [DEFECTS, 'the client knows the port at which etcd listens'],
  },
  'vineyard: members': {
    fluid: 'the client knows the first member of etcd alone',
    decided: 'it knows all of them',
    shown: [DEFECTS, 'the client knows all members of etcd'],
  },
  'vineyard: volumes': {
    fluid: 'a runtime with volumes cannot be installed',
    decided: 'volumes are mounted beside those of Vineyard',
    shown: [DEFECTS, 'volumes of the user are mounted beside those of Vineyard'],
  },
  'vineyard: metadata': {
    fluid: 'labels that a user wants on the volume are lost',
    decided: 'they stay',
    shown: [DEFECTS, 'labels that a user wants on the volume stay'],
  },
  'vineyard: leftovers': {
    fluid: 'the hook of the client removes a socket of a name that it does not have',
    decided: 'it removes those of all names, and every mount',
    shown: [DEFECTS, 'a client that ends leaves neither a mount nor a dead socket'],
  },
};
