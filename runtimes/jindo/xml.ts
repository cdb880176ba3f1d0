const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const SPECIAL = /[&<>]/;

/** Text between two tags. Most need no change, and a test of that costs less than a replacement. */
export const escaped = (text: string): string => (SPECIAL.test(text) ? text.replaceAll(/[&<>]/g, (each) => ENTITIES[each] ?? each) : text);

/** An element with text. */
export const element = (name: string, text: string): string => `<${name}>${escaped(text)}</${name}>`;
