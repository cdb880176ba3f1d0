import { objectText } from '../../planning/key.ts';
import { some } from '../../planning/some.ts';
import { OLDEST_MINOR } from '../../install/oldest-kubernetes.ts';
import { isOlder } from '../../kube/version.ts';
import { rightText } from '../fluid/reads.ts';
import type { GitOpsOwner } from '../fluid/git-ops.ts';
import type { ObjectPlan } from './objects.ts';
import type { TakeoverInput } from './plan-input.ts';

/** A question for an operator. */
export interface Decision {
  readonly about: string;
  readonly what: string;
  /** A way to settle it: a sentence, or a command. */
  readonly how: string;
}

/** The open decisions of a take-over: what is not open is not in it. */
export function decisionsOf(input: TakeoverInput, objects: readonly ObjectPlan[]): readonly Decision[] {
  return [...aboutCluster(input), ...aboutValues(input), ...aboutSpecs(input), ...aboutObjects(objects), ...aboutRights(input, objects)];
}

function aboutCluster({ fluid, kubernetes, notServed }: TakeoverInput): readonly Decision[] {
  return [
    ...(isOlder(kubernetes, OLDEST_MINOR)
      ? [
          {
            about: `Kubernetes ${kubernetes.gitVersion}`,
            what: `Sluice needs 1.${OLDEST_MINOR} or newer`,
            how: 'Upgrade the cluster first.',
          },
        ]
      : []),
    ...aboutTools(fluid),
    ...notServed.map((object) => ({
      about: objectText(object),
      what: 'Sluice does not serve this kind: its pods stay as they are, and nothing repairs or deletes them',
      how: 'Move its readers to another runtime and delete it under Fluid, or leave it as it is.',
    })),
  ];
}

/** The tools that would start Fluid again. */
export const aboutTools = ({ gitOps }: Pick<TakeoverInput['fluid'], 'gitOps'>): readonly Decision[] =>
  gitOps.filter(({ isPaused }) => isPaused !== true).map(aboutTool);

const aboutTool = ({ tool, kind, namespace, name, isPaused, pause }: GitOpsOwner): Decision => ({
  about: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name} of ${tool}`,
  what: isPaused === undefined ? 'nothing can be read of it; unless it is paused, it starts Fluid again' : 'it starts Fluid again',
  how: `Pause it: ${pause}`,
});

const aboutValues = ({ values, valueFaults }: TakeoverInput): readonly Decision[] => [
  ...values.undecided.map(({ chart, because }) => ({
    about: `value ${chart}`,
    what: because,
    how: 'Give a file without it with --values.',
  })),
  ...valueFaults.map((what) => ({ about: 'values of sluice install', what, how: 'Give other values of the chart with --values.' })),
];

const aboutSpecs = ({ faults, ungranted }: TakeoverInput): readonly Decision[] => [
  ...faults
    .filter(({ lone }) => !lone)
    .map(({ object, message }) => ({
      about: object ?? 'an object',
      what: message,
      how: 'Edit it. Until then its pods stay as they are, and Sluice changes nothing of it.',
    })),
  ...ungranted
    .filter(({ isBound }) => !isBound)
    .map(({ object, message }) => ({ about: object, what: message, how: 'Annotate that Dataset, or set controller.openReferences.' })),
];

const aboutObjects = (objects: readonly ObjectPlan[]): readonly Decision[] => [
  ...objects
    .filter(({ fate }) => fate === 'refused')
    .map(({ object, notes }) => ({
      about: object,
      what: notes.join('; '),
      how: 'Delete or rename what has this name, or leave it as it is.',
    })),
  ...objects
    .filter(({ harm }) => harm.length > 0)
    .map(({ object, harm }) => ({
      about: object,
      what: harm.join('; '),
      how: 'Choose a time when no pod reads, or change the spec under Fluid first.',
    })),
];

function aboutRights({ fluid, lacked, unlisted }: TakeoverInput, objects: readonly ObjectPlan[]): readonly Decision[] {
  const unknown = objects.filter(({ fate }) => fate === 'unknown').map(({ object }) => object);
  const how = 'Run the plan as a user who has them.';
  return [
    ...(unknown.length > 0
      ? [{ about: 'your rights', what: `some objects were not compared for lack of them: ${some(unknown)}`, how }]
      : []),
    ...(unlisted.length > 0
      ? [
          {
            about: 'your rights',
            what: `you may not list these in all namespaces, so others were not compared: ${unlisted.join(', ')}`,
            how,
          },
        ]
      : []),
    ...(fluid.missingRights.length > 0
      ? [{ about: 'your rights', what: `to see all of Fluid, these are missing: ${fluid.missingRights.map(rightText).join(', ')}`, how }]
      : []),
    ...(lacked && lacked.length > 0
      ? [{ about: 'your rights', what: `for the take-over, these are missing: ${lacked.map(rightText).join(', ')}`, how }]
      : []),
  ];
}
