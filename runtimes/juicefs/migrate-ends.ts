import type { DatasetSpec, MigrateEnd } from '../../src/api/index.ts';
import { absolutePath, type Arg, claimOf, literal, mountedAt, must, type Operation, together } from '../../src/constructs/index.ts';
import { type End, externalEnd, type Field } from './migrate-external.ts';
import type { JuiceFSPlan } from './plan.ts';
import { editionOf, type Source, sourceOf } from './source.ts';

/**
 * Both ends.
 * @throws InvalidSpec with all that is wrong with either.
 */
export function endsOf(plan: JuiceFSPlan, migrate: Operation<'DataMigrate'>): { readonly from: End; readonly to: End } {
  const { from, to } = together({ from: () => endOf(plan, migrate, 'from'), to: () => endOf(plan, migrate, 'to') });
  const { place: source = '', name } = from;
  const { place: target = '' } = to;
  // A copy of itself never ends, and options that delete would delete what is copied.
  const isNested = source !== '' && target !== '' && (source.startsWith(target) || target.startsWith(source));
  const at = migrate.spec.to.dataset?.name ? 'spec.to.dataset.path' : 'spec.to.externalStorage.uri';
  must(!isNested, at, `a place that is not ${name}, nor in it, nor above it`, to.name);
  // juicefs refuses one directory and one file.
  const isDirectory = from.url.endsWith('/') || to.url.endsWith('/');
  const slash = (end: End): End => (isDirectory && !end.url.endsWith('/') ? { ...end, url: `${end.url}/` } : end);
  return { from: slash(from), to: slash(to) };
}

function endOf(plan: JuiceFSPlan, migrate: Operation<'DataMigrate'>, field: Field): End {
  const { dataset, externalStorage }: MigrateEnd = migrate.spec[field];
  if (dataset?.name) return datasetEnd(plan, migrate, field, dataset.name, dataset.path);
  const { uri = '' } = externalStorage ?? {};
  const claim = claimOf(uri);
  const at = `spec.${field}.externalStorage`;
  if (!claim) return externalEnd(uri, externalStorage?.encryptOptions, at);
  // As in Fluid, a directory in any case.
  const path = `${claim.path}/`;
  return { ...claimEnd(field, claim.claim, path, uri, `${at}.uri`), place: placeOf(plan, migrate, claim.claim, path, `${at}.uri`) };
}

/** JuiceFS of the edition of the image is reached without a mount point, anything else as other pods reach it. */
function datasetEnd(plan: JuiceFSPlan, migrate: Operation<'DataMigrate'>, field: Field, dataset: string, path = ''): End {
  const at = `spec.${field}.dataset`;
  const spec = specOf(migrate, dataset);
  const name = path === '' ? `Dataset ${dataset}` : `path ${path} of Dataset ${dataset}`;
  const own = placeOf(plan, migrate, dataset, path, `${at}.path`);
  const source = sourceIn(plan, migrate, dataset);
  if (!source) {
    const canWrite = spec.accessModes?.some((mode) => mode.startsWith('ReadWrite'));
    must(field === 'from' || canWrite, `${at}.name`, 'a Dataset with accessModes ReadWriteMany or ReadWriteOnce', dataset);
    return { ...claimEnd(field, dataset, path, name, `${at}.path`), place: own };
  }
  const place = pathOf(`${source.subPath ?? ''}/`, path, `${at}.path`);
  if (source.edition === 'enterprise') {
    must(/^[\w.-]+$/.test(source.name), `${at}.name`, 'a Dataset whose mount has a name of letters, digits, "-" and "."', source.name);
    const login = dataset === plan.name ? plan.login : source.login;
    return {
      url: `jfs://${source.name}${place}`,
      name,
      place: own,
      env: [],
      ...(login && { login: { args: login.map(expanded), env: source.env } }),
    };
  }
  // As in Fluid, but that two file systems have two.
  const { name: target } = migrate.spec.to.dataset ?? {};
  const isSecond = field === 'from' && target && target !== dataset && isDirect(plan, migrate, target);
  const variable = isSecond ? `${METAURL}_FROM` : METAURL;
  const env = source.env.filter((each) => each.name === 'METAURL').map((each) => ({ ...each, name: variable }));
  return { url: `jfs://${variable}${place}`, name, place: own, env };
}
/** The variable with the address of the metadata engine stands for the host in the URL of a file system. */
const METAURL = 'FLUID_METAURL';

const specOf = ({ facts }: Operation<'DataMigrate'>, dataset: string): DatasetSpec => facts.datasets?.[dataset] ?? {};
function isDirect({ name, source }: JuiceFSPlan, migrate: Operation<'DataMigrate'>, dataset: string): boolean {
  const spec = specOf(migrate, dataset);
  return dataset === name || (spec.mounts?.[0]?.mountPoint.startsWith('juicefs://') === true && editionOf(spec) === source.edition);
}

/** The file system that is reached without a mount, if it is. */
function sourceIn(plan: JuiceFSPlan, migrate: Operation<'DataMigrate'>, name: string): Source | undefined {
  if (name === plan.name) return plan.source;
  const identity = { namespace: plan.namespace, name, uid: '', collides: false };
  return isDirect(plan, migrate, name) ? sourceOf({ identity, annotations: {}, spec: specOf(migrate, name) }) : undefined;
}

/** The claim of a Dataset is its file system, which another Dataset may share. */
function placeOf(plan: JuiceFSPlan, migrate: Operation<'DataMigrate'>, claim: string, path: string, at: string): string {
  const source = sourceIn(plan, migrate, claim);
  const { valueFrom } = source?.env.find(({ name }) => name === 'METAURL') ?? {};
  const system = valueFrom ? JSON.stringify(valueFrom) : source ? `jfs://${source.name}` : `pvc://${claim}`;
  return `${system}${pathOf(`${source?.subPath ?? ''}/`, path, at)}`.replace(/\/?$/, '/');
}

function claimEnd(field: Field, claimName: string, path: string, name: string, at: string): End {
  const mountPath = `/mnt/fluid-native/${field}`;
  const mounted = mountedAt(mountPath, `native-vol-${field}`, { persistentVolumeClaim: { claimName } });
  return { url: `file://${mountPath}${pathOf('', path, at)}`, name, env: [], mounted };
}

/** A path below another, in the form of a URL. The root is a directory, another path if it ends in a slash. */
function pathOf(below: string, path: string, at: string): string {
  const parts = `${below}${absolutePath(`/${path}`, at)}`.split('/').filter((part) => part !== '' && part !== '.');
  const escaped = parts.map((part) => `/${encodeURIComponent(part.toWellFormed())}`).join('');
  return path === '' || path.endsWith('/') ? `${escaped}/` : escaped;
}

/** A word of `juicefs auth` as an argument of a container. */
function expanded(arg: Arg): string {
  if (typeof arg === 'string') return literal(arg);
  if ('env' in arg) return `$(${arg.env})`;
  return 'word' in arg ? arg.word.map(expanded).join('') : '';
}
