import { stringify } from 'yaml';
import type { Manifest } from '../../api/index.ts';
import { type InstallationParts, installationOf } from '../installation.ts';
import { type CompleteOptions, complete, type Settled } from '../options.ts';
import { type Case, templateOf } from './template.ts';
import { mark, markedValues, TAG } from './values.ts';
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
  const { byPath, base, variants } = markedValues(props.daemons);
  const render = (settings: Settled) => installationOf(settings, props).filter(({ metadata }) => metadata.name !== mark('namespace'));
  const names = [...new Set(props.runtimes.flatMap(({ env }) => env))];
  // With the form of an image.
  const runtimeEnv = Object.fromEntries(names.map((name) => [name, `${mark(`runtimeEnv.${name}`)}${TAG}`]));
  const settle = (values: CompleteOptions): Settled => ({ ...complete(values, props.furtherRuntimes), runtimeEnv });
  const ofVariables = names.map((name) => {
    const isSet = `include "sluice.variable" (list .Values.controller.env "${name}")`;
    const { [name]: _, ...others } = runtimeEnv;
    return { when: `not (${isSet})`, unless: isSet, runtimeEnv: others };
  });
  const registry = variants.find(({ path }) => path === 'registry');
  const renderings: readonly Rendering[] = [
    { when: '', unless: '', objects: render(settle(base)) },
    // The default of an image depends on both.
    ...(registry ? ofVariables : []).map(({ when, unless, runtimeEnv: env }) => ({
      when: `and (${registry?.when}) (${when})`,
      unless: `or (${registry?.unless}) (${unless})`,
      isPair: true,
      objects: render({ ...settle(registry?.values ?? base), runtimeEnv: env }),
    })),
    ...variants.map(({ when, unless, values }) => ({ when, unless, objects: render(settle(values)) })),
    ...ofVariables.map(({ when, unless, runtimeEnv: env }) => ({ when, unless, objects: render({ ...settle(base), runtimeEnv: env }) })),
  ];
  const files = new Map<string, string>([
    ['Chart.yaml', stringify(metadataOf(props.version))],
    ['values.yaml', valuesFile({ image: props.image })],
    ['values.schema.json', `${JSON.stringify(valuesSchema(), null, 2)}\n`],
    ['templates/_helpers.tpl', HELPERS],
  ]);
  for (const key of new Set(renderings.flatMap(({ objects }) => objects.map(fileOf)))) {
    const cases: readonly Case[] = renderings.map(({ objects, ...rest }) => ({
      ...rest,
      value: objects.find((each) => fileOf(each) === key),
    }));
    const [first] = cases;
    const isCrd = (first?.value as Manifest | undefined)?.kind === 'CustomResourceDefinition';
    files.set(isCrd ? `crds/${key}` : `templates/${key}`, isCrd ? stringify(first?.value, { lineWidth: 0 }) : templateOf(cases, byPath));
  }
  return files;
}

/** Named after its namespace too, if that is not the release's. */
function fileOf({ kind, metadata: { name, namespace } }: Manifest): string {
  if (kind === 'CustomResourceDefinition') return `${name}.yaml`;
  const where = namespace === undefined || namespace === mark('namespace') ? [] : [namespace];
  return `${[...where, name, kind.toLowerCase()].join('-')}.yaml`;
}

const metadataOf = (version: string) => ({
  apiVersion: 'v2',
  name: 'sluice',
  description: 'Sluice lets Kubernetes pods read remote data through a cache.',
  type: 'application',
  version,
  appVersion: version,
  kubeVersion: '>=1.29.0-0',
});

/** The value of the last variable of a name; nothing without one. */
const HELPERS = `{{- define "sluice.variable" -}}
{{- $name := index . 1 -}}
{{- $value := "" -}}
{{- range index . 0 }}{{ if eq .name $name }}{{ $value = .value | default "set" }}{{ end }}{{ end -}}
{{- $value -}}
{{- end -}}
`;
