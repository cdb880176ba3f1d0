import type { Runtime } from '../../constructs/index.ts';
import { CONTEXT, type Playground } from '../../playground/playground.ts';
import { FIELD_MANAGER } from '../../planning/diff/managed-fields.ts';
import { settingsOf } from '../settings/config.ts';
import { openLocalPage } from '../ui/local-page.ts';

/** The page of a playground. It reads the API server without a way over the network. */
export const openPage = ({ server }: Playground, runtimes: readonly Runtime[]) =>
  openLocalPage({
    client: server.client({ fieldManager: FIELD_MANAGER, readsOnly: true }),
    runtimes,
    settings: settingsOf({}, process.env, runtimes),
    wanted: [],
    home: 'default',
    name: 'playground',
    cluster: CONTEXT,
    port: 0,
  });
