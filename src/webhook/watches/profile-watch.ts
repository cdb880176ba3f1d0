import type { KubeObject, Log } from '../../kube/types.ts';
import { plugins } from '../plugins/index.ts';
import type { Profile } from '../profile.ts';
import { defaultProfile } from '../profile/default-profile.ts';
import { parseProfile } from '../profile/parse.ts';
import { record, text } from '../shapes.ts';

/** The profile in force: a fault in an edit of the ConfigMap keeps the last one without. */
export interface ProfileWatch {
  /** Undefined: the ConfigMap does not exist. */
  changed(configMap: KubeObject | undefined): void;
  current(): Profile;
  fault(): string | undefined;
}

const KEY = 'pluginsProfile';

export function profileWatch(log: Log): ProfileWatch {
  const builtIn = parseProfile(defaultProfile, plugins);
  let current = builtIn;
  let fault: string | undefined;

  return {
    changed(configMap) {
      const profile = configMap && text(record(configMap['data'])[KEY]);
      try {
        current = profile === undefined ? builtIn : parseProfile(profile, plugins);
        fault = undefined;
        log.info(
          { resource: 'configmaps', profile: profile === undefined ? 'built in' : 'ConfigMap' },
          'the profile of plugins is in force',
        );
      } catch (error) {
        fault = error instanceof Error ? error.message : String(error);
        log.warn({ resource: 'configmaps', error: fault }, 'the profile of plugins has a fault; the last valid one stays in force');
      }
    },
    current: () => current,
    fault: () => fault,
  };
}
