import type { EnvVar } from '../../src/api/index.ts';
import { configMapName } from './environment.ts';

/** The environment of a container that calls Alluxio's commands in a pod of its own. */
export const clientEnvironment = (plan: { readonly name: string }, own: readonly EnvVar[]) => ({
  env: [
    { name: 'ALLUXIO_CLIENT_HOSTNAME', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'ALLUXIO_CLIENT_JAVA_OPTS', value: ' -Dalluxio.user.hostname=${ALLUXIO_CLIENT_HOSTNAME}' },
    ...own,
  ],
  envFrom: [{ configMapRef: { name: configMapName(plan) } }],
});

/** The beginning of its script. */
export const CLIENT_OPTIONS = `# In other pods the image's own start-up script expands this reference. Nothing else of the options is expanded.
for options in ALLUXIO_JAVA_OPTS ALLUXIO_USER_JAVA_OPTS; do
  export "$options=\${!options//'\${ALLUXIO_CLIENT_HOSTNAME}'/$ALLUXIO_CLIENT_HOSTNAME}"
done
`;
