import { csiDriver } from '../api/index.ts';
import { redactedText } from '../api/redact.ts';
import { phaseOf } from '../planning/views.ts';
import { objectText } from '../planning/key.ts';
import { type ExplainedCause, type Explanation, phaseText } from './finding.ts';
import type { ExplainInput } from './gather.ts';
import { toDoAboutPod, unreadySince } from './pod-advice.ts';
import { troubleOf } from './pod-lines.ts';
import type { Texts } from './texts/en.ts';
import { textsIn } from './texts/texts.ts';
import { type ClaimRoute, csiOf, type NodeRoute, type MaybeObject, type Route } from './routes.ts';

/** Explains a pod, a claim or a volume, from the Dataset on: the first cause is the one to end first. */
export function routeFinding(route: Route, input: ExplainInput): Explanation {
  const { object, node } = route;
  const texts = textsIn(input.language);
  const claims = route.claims.filter((each) => isOurs(each, input));
  const isPod = object.kind === 'Pod';
  const trouble = isPod ? troubleOf(object, input) : undefined;
  const ownCause: readonly ExplainedCause[] = trouble
    ? [
        {
          reason: trouble.reason,
          message: trouble.message,
          since: unreadySince(object),
          toDo: toDoAboutPod(object, trouble, input.language),
        },
      ]
    : [];
  const behind = [
    ...claims.flatMap((claim) => claimCauses(claim, texts)),
    ...(node && claims.length > 0 ? pluginCauses(node, input) : []),
    ...(node ? claims.flatMap((claim) => fuseCauses(claim, node, input)) : []),
  ];
  // A pod whose data cannot be read may be ready all the same; one that has ended reads nothing.
  const isCutOff = phaseOf(object) !== 'Succeeded' && claims.some(({ fusePods: [pod] = [] }) => pod && troubleOf(pod, input));
  const healthy = isPod ? trouble === undefined && !isCutOff : phaseOf(object) === 'Bound';
  return {
    object: objectText(object),
    // Only an object of the cluster has a UID.
    phase: object.metadata.uid === undefined ? texts.states.absent : phaseText(object, texts.states.unseen),
    healthy,
    causes: healthy ? [] : [...behind, ...ownCause, ...(behind.length + ownCause.length === 0 ? [unbound(claims.length > 0, texts)] : [])],
    details: [
      ...claims.map(claimLine),
      ...route.bySidecar.map((name) => `Dataset ${object.metadata.namespace}/${redactedText(name)}, by a sidecar`),
      ...(claims.length + route.bySidecar.length === 0 ? ['no Dataset'] : []),
      ...(node && claims.length > 0 ? nodeLines(node, claims, input) : []),
    ],
  };
}

const unbound = (isOfDataset: boolean, { ownDataset, otherStorage }: Texts): ExplainedCause => ({
  reason: 'NotBound',
  message: 'is not bound',
  toDo: isOfDataset ? ownDataset : otherStorage,
});

/** Not one of another storage. */
const isOurs = ({ namespace, name, claim, volume }: ClaimRoute, { objects }: ExplainInput): boolean =>
  claim === 'absent' ||
  csiOf(volume) !== undefined ||
  objects.some(({ kind, metadata }) => kind === 'Dataset' && metadata.name === name && metadata.namespace === namespace);

function claimCauses({ namespace, name, claim }: ClaimRoute, { createDataset, seeDataset }: Texts): readonly ExplainedCause[] {
  if (claim === 'absent') {
    const message = `claim ${namespace}/${name} does not exist`;
    return [{ reason: 'ClaimNotFound', message, toDo: createDataset }];
  }
  const phase = stateOf(claim);
  if (typeof claim === 'string' || phase === 'Bound') return [];
  return [{ reason: 'ClaimNotBound', message: `claim ${namespace}/${name} is ${phase}`, toDo: seeDataset }];
}

function pluginCauses({ name, csiNode, plugin }: NodeRoute, input: ExplainInput): readonly ExplainedCause[] {
  if (csiNode === 'unreadable' || isRegistered(csiNode)) return [];
  const [pod] = plugin ?? [];
  const trouble = pod && troubleOf(pod, input);
  const none = plugin ? ', and has no pod there' : '';
  const why = pod ? `: pod ${pod.metadata.name} ${trouble ? trouble.message : 'is ready'}` : none;
  const toDo = pod && trouble ? toDoAboutPod(pod, trouble, input.language) : textsIn(input.language).pluginNodes;
  return [{ reason: 'NodePluginMissing', message: `the node plugin is not registered on node ${name}${why}`, toDo }];
}

function fuseCauses({ nodeLabel, fusePods }: ClaimRoute, { name, node }: NodeRoute, input: ExplainInput): readonly ExplainedCause[] {
  if (nodeLabel === undefined) return [];
  const [pod] = fusePods ?? [];
  const trouble = pod && troubleOf(pod, input);
  if (pod && trouble) {
    const message = `fuse pod ${pod.metadata.namespace}/${pod.metadata.name}: ${trouble.message}`;
    return [{ reason: trouble.reason, message, since: unreadySince(pod), toDo: toDoAboutPod(pod, trouble, input.language) }];
  }
  if (pod || !fusePods || typeof node === 'string') return [];
  const isLabelled = node.metadata.labels?.[nodeLabel] !== undefined;
  const message = isLabelled
    ? `node ${name} has no fuse pod, although it has the label ${nodeLabel}`
    : `node ${name} lacks the label ${nodeLabel}`;
  const { seeBoth, pluginLog } = textsIn(input.language);
  const toDo = isLabelled ? seeBoth : pluginLog;
  return [{ reason: isLabelled ? 'NoFusePod' : 'NodeNotLabelled', message, toDo }];
}

const claimLine = ({ namespace, name, claim, volume }: ClaimRoute): string =>
  `claim ${namespace}/${name}: ${stateOf(claim)}, volume ${typeof volume === 'string' ? READ[volume] : `${volume.metadata.name}: ${stateOf(volume)}`}`;

function nodeLines({ name, csiNode }: NodeRoute, claims: readonly ClaimRoute[], input: ExplainInput): readonly string[] {
  const registered = csiNode === 'unreadable' ? 'cannot be read' : isRegistered(csiNode) ? 'registered' : 'not registered';
  const pods = claims.flatMap(({ fusePods = [] }) => fusePods);
  return [
    `node ${name}: node plugin ${registered}`,
    ...pods.map((pod) => `fuse pod ${pod.metadata.namespace}/${pod.metadata.name}: ${troubleOf(pod, input)?.reason ?? 'ready'}`),
  ];
}

function isRegistered(csiNode: MaybeObject): boolean {
  const { drivers = [] } = (typeof csiNode === 'string' ? {} : (csiNode['spec'] ?? {})) as { drivers?: readonly { name: string }[] };
  return drivers.some(({ name }) => name === csiDriver);
}

const stateOf = (object: MaybeObject): string => (typeof object === 'string' ? READ[object] : phaseText(object, 'new'));
const READ = { absent: 'does not exist', unreadable: 'cannot be read' } as const;
