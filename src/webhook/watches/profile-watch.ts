import type { KubeObject, Log } from '../../kube/types.ts';
import { plugins } from '../plugins/index.ts';
import type { Profile } from '../profile.ts';
import { defaultProfile } from '../profile/default-profile.ts';
import { parseProfile } from '../profile/parse.ts';
import { record, text } from '../shapes.ts';
import { messageOf } from '../../kube/errors.ts';

/** The profile in force: a fault in an edit of the ConfigMap keeps the last one without. */
export interface ProfileWatch {
  /** Undefined: the ConfigMap does not exist. */
  changed(configMap: KubeObject | undefined): void;
  current(): Profile;
}

const KEY = 'pluginsProfile';

/**
 * threat-model: R-plugins
 *
 * @param onFault called with what is wrong with the ConfigMap, and with undefined when nothing is
 */
export function profileWatch(log: Log, onFault: (fault: string | undefined) => void): ProfileWatch {
  const builtIn = parseProfile(defaultProfile, plugins);
  let current = builtIn;

  return {
    changed(configMap) {
      const profile = configMap && text(record(configMap['data'])[KEY]);
      try {
        current = profile === undefined ? builtIn : parseProfile(profile, plugins);
        onFault(undefined);
        log.info(
          { resource: 'configmaps', profile: profile === undefined ? 'built in' : 'ConfigMap' },
          'the profile of plugins is in force',
        );
      } catch (error) {
        const fault = messageOf(error);
        onFault(fault);
        log.warn({ resource: 'configmaps', error: fault }, 'the profile of plugins has a fault; the last valid one stays in force');
      }
    },
    current: () => current,
  };
}
