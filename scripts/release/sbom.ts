/** Bills of materials in CycloneDX's format: npm writes that of the whole lock file, of which what users get is kept. */
import { execFileSync } from 'node:child_process';

interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly 'bom-ref': string;
}
export interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Bill of the package: the packages bundled in it, by the notices of third parties, and those that npm installs with it. */
export function packageBom(root: string, notices: string, installed: readonly string[]): Bom {
  const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const all = JSON.parse(text) as Bom & { readonly serialNumber?: string };
  const bundled = new Set([...notices.matchAll(/^(\S+ \d\S*) \(.*\)$/gm)].map(([, entry = '']) => entry));
  const components = all.components.filter(({ name, version }) => bundled.has(`${name} ${version}`) || installed.includes(name));
  const missing = [...bundled].filter((entry) => !components.some(({ name, version }) => entry === `${name} ${version}`));
  if (missing.length > 0) throw new Error(`npm sbom: expected ${missing.join(', ')}, found none`);
  const refs = new Set([all.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
  const dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  return { ...all, components: components.map(asShipped), dependencies };
}

/** npm calls what only the build needs `development`; bundled, it is shipped. */
function asShipped(component: Component): Component {
  const { properties: _, scope: __, ...rest } = component as Component & { readonly properties?: unknown; readonly scope?: unknown };
  return rest;
}

/** Bill of the files that run without Node installed: the program, and the Node in them. */
export function executableBom(program: Bom, node: string): Bom {
  const self = program.metadata.component['bom-ref'];
  const added = nodeComponent(node);
  return {
    ...program,
    components: [...program.components, added],
    dependencies: program.dependencies.map((each) =>
      each.ref === self ? { ...each, dependsOn: [...each.dependsOn, added['bom-ref']] } : each,
    ),
  };
}

/** Bill of the image: the program, its Node, and the packages of Debian whose status files it has. */
export function imageBom(
  program: Bom,
  image: { readonly name: string; readonly digest: string; readonly node: string },
  statuses: readonly string[],
): Bom {
  const self: Component = { type: 'container', name: image.name, version: image.digest, 'bom-ref': `image@${image.digest}` };
  const system = statuses.map((status) => {
    const field = (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(status)?.[1] ?? '';
    const [name, version] = [field('Package'), field('Version')];
    return component(name, version, `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${field('Architecture')}&distro=debian-12`);
  });
  const own = [program.metadata.component, nodeComponent(image.node), ...system];
  const root = { ref: self['bom-ref'], dependsOn: own.map((each) => each['bom-ref']) };
  return {
    ...program,
    metadata: { ...program.metadata, component: self },
    components: [...own, ...program.components],
    dependencies: [root, ...program.dependencies],
  };
}

const nodeComponent = (version: string): Component => component('node', version, `pkg:generic/node@${version}`);

function component(name: string, version: string, purl: string): Component {
  return { type: 'library', name, version, purl, 'bom-ref': purl };
}
