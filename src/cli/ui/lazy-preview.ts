import type { Runtime, Settings } from '../../constructs/index.ts';
import type { Preview } from '../../ui/server/api.ts';

/** The preview of edits, whose code is loaded with the first of them: most who look edit nothing. */
export function lazyPreview(parts: { readonly runtimes: readonly Runtime[]; readonly settings: Settings }): Preview {
  let loaded: Promise<Preview> | undefined;
  return async (client, edited) => {
    loaded ??= import('./preview.ts').then(({ createPreview }) => createPreview(parts));
    return (await loaded)(client, edited);
  };
}
