import { base64, hashOfScript, type PlanInput, sorted, together } from '../../src/constructs/index.ts';
import { addressList } from './addresses.ts';
import { setTexts } from './cache-sets.ts';
import { configFiles, type JindoSettings } from './config.ts';
import type { Credentials } from './credentials.ts';
import type { EngineName } from './engines.ts';
import type { Mounts, Source } from './mounts.ts';
import {
  clientLogProperties,
  clientProperties,
  logProperties,
  masterProperties,
  type PropertiesInput,
  workerProperties,
} from './properties.ts';
import type { JindoRuntimeSpec } from './spec.ts';
import type { Properties } from './stores.ts';

/** All that Jindo reads when it starts: the files, and of what each role reads of them a hash. */
export function configuration(
  { spec, name, namespace }: Pick<PlanInput<JindoRuntimeSpec>, 'spec' | 'name' | 'namespace'>,
  parts: PropertiesInput,
  { sources }: Mounts,
  { keys }: Credentials,
) {
  const { engine, masters, ports, stores } = parts;
  const addresses = addressList(masters, namespace, ports.master);
  const [credentials, ofStores] = [sorted(stores.credentials), sorted(stores.stores)];
  const settings: JindoSettings = {
    common: { ...logProperties(spec, engine), ...credentials, ...ofStores },
    master: masterProperties(spec, parts),
    worker: workerProperties(spec, parts),
    clientCommon: { ...clientLogProperties(spec, parts), ...credentials },
    client: { ...(addresses && { [`fs.${engine}.namespace.rpc.address`]: addresses }), ...clientProperties(spec, parts) },
  };
  const { sets, data } = together({ files: () => filesOf(engine, settings, sources) }, `Dataset ${namespace}/${name}`).files;
  const isSecret = [...keys.values()].some((each) => each.isSecret);
  return { files: { isSecret, data: isSecret ? encoded(data) : data }, hashes: hashesOf(settings, data), addresses, sets: sets.flat() };
}

function filesOf(engine: EngineName, settings: JindoSettings, sources: readonly Source[]) {
  const sets = engine === 'jindocache' ? sources.map(setTexts) : [];
  return { sets, data: configFiles(engine, settings, sets) };
}

const encoded = (data: Properties): Properties => Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)]));

function hashesOf({ common, master, worker, clientCommon, client }: JindoSettings, data: Properties) {
  // Each is long with many mounts, and most roles read it: it is written once.
  const [ofAll, ofClients] = [JSON.stringify(common), JSON.stringify(client)];
  const hash = (...read: readonly string[]) => hashOfScript(`[${read.join(',')}]`);
  return {
    master: hash(ofAll, JSON.stringify(master), ofClients, JSON.stringify(data['cacheset.xml'] ?? null)),
    worker: hash(ofAll, JSON.stringify(worker), ofClients),
    fuse: hash(JSON.stringify(clientCommon), ofClients),
  };
}
