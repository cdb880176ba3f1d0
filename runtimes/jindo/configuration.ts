import { base64, hashOfScript, type PlanInput, sorted, together } from '../../src/constructs/index.ts';
import { addressList } from './addresses.ts';
import { configFiles, type Settings } from './config.ts';
import type { Credentials } from './credentials.ts';
import type { Mounts } from './mounts.ts';
import { clientLogProperties, clientProperties, logProperties, masterProperties, type Parts, workerProperties } from './properties.ts';
import type { JindoRuntimeSpec } from './spec.ts';
import type { Properties } from './stores.ts';

/** All that Jindo reads when it starts: the files, and of what each role reads of them a hash. */
export function configuration(
  { spec, name, namespace }: Pick<PlanInput<JindoRuntimeSpec>, 'spec' | 'name' | 'namespace'>,
  parts: Parts,
  { sources }: Mounts,
  { keys }: Credentials,
) {
  const { engine, masters, ports, stores } = parts;
  const addresses = addressList(masters, namespace, ports.master);
  const [credentials, ofStores] = [sorted(stores.credentials), sorted(stores.stores)];
  const settings: Settings = {
    common: { ...logProperties(spec, engine), ...credentials, ...ofStores },
    master: masterProperties(spec, parts),
    worker: workerProperties(spec, parts),
    clientCommon: { ...clientLogProperties(spec, parts), ...credentials },
    client: { ...(addresses && { [`fs.${engine}.namespace.rpc.address`]: addresses }), ...clientProperties(spec, parts) },
  };
  const { data } = together({ data: () => configFiles(engine, settings, sources) }, `Dataset ${namespace}/${name}`);
  const isSecret = [...keys.values()].some((each) => each.isSecret);
  return { files: { isSecret, data: isSecret ? encoded(data) : data }, hashes: hashesOf(settings, data), addresses };
}

const encoded = (data: Properties): Properties => Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)]));

function hashesOf({ common, master, worker, clientCommon, client }: Settings, data: Properties) {
  const hash = (read: object) => hashOfScript(JSON.stringify(read));
  return {
    master: hash([common, master, client, data['cacheset.xml']]),
    worker: hash([common, worker, client]),
    fuse: hash([clientCommon, client]),
  };
}
