import { stringify } from 'yaml';
import type { Manifest } from '../../api/index.ts';
import { type InstallationParts, installationOf } from '../installation.ts';
import { OLDEST_MINOR } from '../oldest-kubernetes.ts';
import { type CompleteOptions, complete, type Settled } from '../settled.ts';
import { type Case, templateOf } from './template.ts';
import { mark, markedValues, markOf, TAG, type Variant } from './values.ts';
import { valuesFile, valuesSchema } from './values-file.ts';

export interface ChartProps extends InstallationParts {
  /** The version of Sluice, which is the chart's. */
  readonly version: string;
  readonly image: string;
  /** Types of runtimes that have daemons. */
  readonly daemons: readonly string[];
  /** Whether the image has more runtimes than Sluice's own. */
  readonly furtherRuntimes: boolean;
}

type Rendering = Omit<Case, 'value'> & { readonly objects: readonly Manifest[] };

/**
 * The files of a helm chart, by path: the templates are what `sluice install` prints, rendered once with a mark in the place of each value
 * and once with each other choice (docs/adr/0042-chart-by-differences.md). Helm creates the release's namespace itself.
 *
 * Two choices that change one text together are not seen: a test compares random values of both.
 */
export function chartFiles(props: ChartProps): ReadonlyMap<string, string> {
  const files = new Map<string, string>([
    ['Chart.yaml', stringify(metadataOf(props.version))],
    ['values.yaml', valuesFile(props.image)],
    ['values.schema.json', `${JSON.stringify(valuesSchema(), null, 2)}\n`],
    ['templates/_helpers.tpl', HELPERS],
  ]);
  const renderings = renderingsOf(props);
  for (const key of new Set(renderings.flatMap(({ objects }) => objects.map(fileOf)))) {
    const cases = renderings.map(({ objects, ...rest }): Case => ({ ...rest, value: objects.find((each) => fileOf(each) === key) }));
    const crd = cases.find(({ value }) => (value as Manifest | undefined)?.kind === 'CustomResourceDefinition');
    if (crd) files.set(`crds/${key}`, stringify(crd.value, { lineWidth: 0 }));
    else files.set(`templates/${key}`, templateOf(cases));
  }
  return files;
}

/** The base first, then the pairs: of several conditions that hold, the first one counts. */
function renderingsOf(props: ChartProps): readonly Rendering[] {
  const { base, variants } = markedValues(props.daemons);
  const names = [...new Set(props.runtimes.flatMap(({ env }) => env))];
  // With the form of an image.
  const allSet = Object.fromEntries(names.map((name) => [name, `${mark(`controllerEnv.${name}`)}${TAG}`]));
  const render = (values: CompleteOptions, controllerEnv: Settled['controllerEnv'] = allSet) =>
    installationOf({ ...complete(values, props.furtherRuntimes), controllerEnv }, props).filter(
      ({ metadata }) => metadata.name !== mark('namespace'),
    );
  const unset = names.map((name) => {
    const isSet = `include "sluice.variable" (list .Values.controller.env "${name}")`;
    const { [name]: _, ...others } = allSet;
    return { when: `not (${isSet})`, unless: isSet, others };
  });
  // Without a variable, an image is the default, which depends on the registry.
  const registry = variants.find(({ path }) => path === 'registry') as Variant;
  return [
    { when: '', unless: '', objects: render(base) },
    ...unset.map(({ when, unless, others }) => ({
      when: `and (${registry.when}) (${when})`,
      unless: `or (${registry.unless}) (${unless})`,
      isPair: true,
      objects: render(registry.values, others),
    })),
    ...variants.map(({ when, unless, values }) => ({ when, unless, objects: render(values) })),
    ...unset.map(({ when, unless, others }) => ({ when, unless, objects: render(base, others) })),
  ];
}

/** Named after its namespace too, if that is neither the release's nor a value. */
function fileOf({ kind, metadata: { name, namespace } }: Manifest): string {
  if (kind === 'CustomResourceDefinition') return `${name}.yaml`;
  const where = namespace === undefined || markOf(namespace) !== undefined ? [] : [namespace];
  return `${[...where, name, kind.toLowerCase()].join('-')}.yaml`;
}

const metadataOf = (version: string) => ({
  apiVersion: 'v2',
  name: 'sluice',
  description: 'Sluice lets Kubernetes pods read remote data through a cache.',
  type: 'application',
  version,
  appVersion: version,
  kubeVersion: `>=1.${OLDEST_MINOR}.0-0`,
});

/** The value of the last variable of a name; nothing without one. */
const HELPERS = `{{- define "sluice.variable" -}}
{{- $name := index . 1 -}}
{{- $value := "" -}}
{{- range index . 0 }}{{ if eq .name $name }}{{ $value = .value | default "set" }}{{ end }}{{ end -}}
{{- $value -}}
{{- end -}}
`;
