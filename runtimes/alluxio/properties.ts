import { InvalidSpec, shown } from '../../src/api/index.ts';
import { sorted, togetherEach } from '../../src/constructs/index.ts';
import { JVM_OPTIONS } from './defaults.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

export type Properties = Readonly<Record<string, string>>;
type Spec = AlluxioRuntimeSpec;

/** Components with properties of their own, and the variable in which Alluxio's scripts look for each. */
const COMPONENTS = {
  master: 'ALLUXIO_MASTER_JAVA_OPTS',
  jobMaster: 'ALLUXIO_JOB_MASTER_JAVA_OPTS',
  worker: 'ALLUXIO_WORKER_JAVA_OPTS',
  jobWorker: 'ALLUXIO_JOB_WORKER_JAVA_OPTS',
  fuse: 'ALLUXIO_FUSE_JAVA_OPTS',
  apiGateway: 'ALLUXIO_PROXY_JAVA_OPTS',
} as const;
type Component = keyof typeof COMPONENTS;
const components = Object.keys(COMPONENTS) as Component[];

/** Properties that the runtime sets for each component; the user's properties win. */
export type Own = Readonly<Partial<Record<Component, Properties>>>;

/** The data of the ConfigMap that every container has as its environment. */
export function environmentOf(spec: Spec, common: Properties, own: Own): Readonly<Record<string, string>> {
  const options = (component: Component) => {
    const { properties, jvmOptions } = spec[component] ?? {};
    return line({ ...own[component], ...sorted(properties) }, jvmOptions?.length ? jvmOptions : usual(component));
  };
  const texts = components.map((component): [string, string] => [COMPONENTS[component], options(component)]);
  return {
    ALLUXIO_JAVA_OPTS: line(common, spec.jvmOptions),
    // The gateway is a process of its own: without options it has no variable.
    ...Object.fromEntries(texts.filter(([name, text]) => text || name !== COMPONENTS.apiGateway)),
    // Alluxio's scripts would set it otherwise; containers that know better say so in their own environment.
    [LEVEL0]: `\${${LEVEL0}}`,
  };
}
export const LEVEL0 = 'ALLUXIO_WORKER_TIEREDSTORE_LEVEL0_DIRS_PATH';

const usual = (component: Component): readonly string[] => (component in JVM_OPTIONS ? JVM_OPTIONS[component as 'master'] : []);

/** Properties of all components: those by which they find each other, then by name the user's, and defaults for all others. */
export function commonProperties(spec: Spec, first: Properties, last: Properties, defaults: Properties): Properties {
  const mentioned = new Set(components.flatMap((component) => Object.keys(spec[component]?.properties ?? {})));
  const unmentioned = Object.entries(defaults).filter(([key]) => !mentioned.has(key));
  return { ...first, ...sorted({ ...Object.fromEntries(unmentioned), ...last, ...spec.properties }) };
}

const line = (properties: Properties, jvmOptions: readonly string[] = []): string =>
  [...Object.entries(properties).map(([key, value]) => `-D${key}=${value}`), ...jvmOptions].map((part) => `${part} `).join('');

/**
 * Alluxio's scripts read the lines as words of a shell between double quotes. `${VARIABLE}` is meant; a command never is.
 * @throws InvalidSpec with all properties and options that would be another word, or a command.
 */
export function checkProperties(spec: Spec): void {
  togetherEach([undefined, ...components], (component) => {
    const { properties = {}, jvmOptions = [] } = component ? (spec[component] ?? {}) : spec;
    const field = component ? `spec.${component}` : 'spec';
    const unsafe = Object.entries(properties).filter(([key, value]) => key === '' || key.includes('=') || !isPlain(key) || !isPlain(value));
    const faults = [
      ...unsafe.map(([key, value]) => ({
        path: `${field}.properties[${key}]`,
        expected: 'a property without blanks, quotation marks and commands of a shell',
        found: shown(`${key}=${value}`),
      })),
      ...jvmOptions.flatMap((option, i) => {
        const expected = 'options without quotation marks and commands of a shell';
        return UNSAFE.test(option) ? [{ path: `${field}.jvmOptions[${i}]`, expected, found: shown(option) }] : [];
      }),
    ];
    if (faults.length > 0) throw new InvalidSpec(faults);
  });
}
const UNSAFE = /["`\n\r\0]|\$\(/;
/** Whether a line of properties can have it without quotes. */
export const isPlain = (text: string): boolean => !UNSAFE.test(text) && !/\s/.test(text);
