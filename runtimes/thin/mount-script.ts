import { annotation, type Container, type ThinRuntimeProfile } from '../../src/api/index.ts';
import { parseMountTemplate } from '../../src/api/mount-template.ts';
import { type Mounted, must, type Settings } from '../../src/constructs/index.ts';
import { CONFIG_DIRECTORY } from './volumes.ts';

const DIRECTORY = '/etc/fluid/mount';
const TEMPLATE = 'mount-template.yaml';
const FIELD = `metadata.annotations[${JSON.stringify(annotation.mountTemplate)}]`;

/**
 * The addition of a profile with a mount template to its fuse pods: Sluice writes a script into a volume, and the client's container runs
 * it.
 */
export interface MountScript {
  /** Beside config.json. */
  readonly files: Readonly<Record<string, string>>;
  readonly command: string[];
  readonly initContainers: readonly Container[];
  readonly mounted: readonly Mounted[];
  /** Whether the script itself takes away what it has mounted. */
  readonly unmounts: boolean;
}

/** threat-model: R-mount-template */
export function mountScript({ name, annotations }: ThinRuntimeProfile['metadata'], { image }: Settings): MountScript | undefined {
  const text = annotations?.[annotation.mountTemplate];
  if (text === undefined) return undefined;
  const profile = `ThinRuntimeProfile ${name}: ${FIELD}`;
  const { each, onChange } = parseMountTemplate(text, profile);
  must(
    image,
    profile,
    "Sluice's image in the variable SLUICE_IMAGE of the controller or of this command, since it runs in the fuse pods",
    image,
  );
  const mount = { name: 'mount-script', mountPath: DIRECTORY };
  const config = { name: 'thin-conf', mountPath: CONFIG_DIRECTORY, readOnly: true };
  const writer: Container = {
    name: 'mount-script',
    image,
    imagePullPolicy: 'IfNotPresent',
    args: ['fuse-config', '--template', `${CONFIG_DIRECTORY}/${TEMPLATE}`, '--output', 'script', '--directory', DIRECTORY],
    // All four, since a quota of the dataset's namespace may ask for each.
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { cpu: '1', memory: '256Mi' } },
    // The pod's status then says what is wrong with the Dataset.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [config, mount],
  };
  // After the writer, which says at once what is wrong and without which the client would have nothing to run.
  const watcher: Container = { ...writer, name: 'mount-watch', args: [...(writer.args ?? []), '--watch'], restartPolicy: 'Always' };
  return {
    files: { [TEMPLATE]: text },
    command: ['sh', `${DIRECTORY}/mount.sh`],
    initContainers: onChange ? [writer, watcher] : [writer],
    // In memory, since the script writes secrets of config.json there.
    mounted: [{ volume: { name: 'mount-script', emptyDir: { medium: 'Memory' } }, mount }],
    unmounts: each === 'mounts' || onChange !== undefined,
  };
}
