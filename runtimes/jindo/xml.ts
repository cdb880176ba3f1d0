const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text between two tags. */
export const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (each) => ENTITIES[each] ?? each);

/** An element with text. */
export const element = (name: string, text: string): string => `<${name}>${escaped(text)}</${name}>`;
