import { stringify } from 'yaml';
import type { Explanation } from '../../../explain/finding.ts';
import { findings } from '../../../explain/findings.ts';
import { redactedObject } from '../../../explain/redacted.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Language } from '../../../planning/advice.ts';
import { objectText } from '../../../planning/key.ts';
import type { DatasetRow, DatasetView, ExplanationView, Sample } from '../../wire.ts';
import { timeOf } from '../rows/texts.ts';
import { historyOf } from './history.ts';
import { type NodeState, pictureOf } from './picture.ts';
import { type DatasetReading, explainInput } from './reading.ts';

interface Beside {
  readonly row: DatasetRow;
  readonly samples: readonly Sample[];
  readonly nodeState: NodeState;
  /** Language of the advice. */
  readonly language: Language;
}

/** All about one Dataset, from what was read of it. */
export function datasetView(reading: DatasetReading, { row, samples, nodeState, language }: Beside): DatasetView {
  const input = { ...explainInput(reading), language };
  return {
    row,
    explanations: findings(input).map(explanationView),
    picture: pictureOf(reading, input, nodeState),
    history: historyOf(reading),
    samples,
    manifests: [reading.dataset, ...reading.runtimes].map((object) => ({ title: objectText(object), yaml: yamlOf(object) })),
  };
}

const explanationView = ({ object, phase, healthy, causes, details }: Explanation): ExplanationView => ({
  object,
  phase,
  healthy,
  causes: causes.map(({ since, ...cause }) => {
    const at = timeOf(since);
    return at === undefined ? cause : { ...cause, since: at };
  }),
  details,
});

const yamlOf = (object: KubeObject): string => stringify(redactedObject(object), { lineWidth: 0, aliasDuplicateObjects: false });
