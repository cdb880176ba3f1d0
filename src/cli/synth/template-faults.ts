import { InvalidSpec, keyPath, type Manifest } from '../../api/index.ts';
import { clientsOf, parseFuseConfig, parseMountTemplate } from '../../fuse/index.ts';

type Data = Readonly<Record<string, string>>;

/**
 * Checks that a mount template can make clients for the Dataset of these objects: otherwise its fuse pods would end at their start.
 * @param names of the Dataset and of the runtime: `Dataset ml/demo`
 * @throws InvalidSpec with every fault, each with its object
 */
export function checkTemplate(manifests: readonly Manifest[], names: { readonly dataset: string; readonly runtime: string }): void {
  for (const { kind, data = {} } of manifests as readonly (Manifest & { readonly data?: Data })[]) {
    const {
      'config.json': config,
      'mount-template.yaml': template,
      'secret-options.json': secrets,
    } = kind === 'Secret' ? plain(data) : data;
    if (config === undefined || template === undefined) continue;
    try {
      clientsOf(parseMountTemplate(template), parseFuseConfig(config, 'config.json', secrets ? (JSON.parse(secrets) as string[]) : []));
    } catch (error) {
      if (!(error instanceof InvalidSpec)) throw error;
      throw new InvalidSpec(error.faults.map((fault) => ({ ...fault, ...fieldOf(fault.path, names) })));
    }
  }
}

const plain = (data: Data): Data =>
  Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text, 'base64').toString('utf8')]));

/** Where the user wrote what is in a field of config.json. */
function fieldOf(path: string, { dataset, runtime }: { readonly dataset: string; readonly runtime: string }) {
  const [, option] = /^runtimeOptions\[(".*")\]$/s.exec(path) ?? [];
  if (option !== undefined) return { object: runtime, path: keyPath('spec.fuse.options', JSON.parse(option) as string) };
  const [, mount, name] = /^(mounts\[\d+\]\.options)\[(".*")\]$/s.exec(path) ?? [];
  if (mount !== undefined && name !== undefined) return { object: dataset, path: keyPath(`spec.${mount}`, JSON.parse(name) as string) };
  return { object: dataset, path: path.startsWith('mounts') ? `spec.${path}` : 'spec.mounts' };
}
