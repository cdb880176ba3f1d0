const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** An element with text. */
export const element = (name: string, text: string): string =>
  `<${name}>${text.replaceAll(/[&<>]/g, (each) => ENTITIES[each] ?? each)}</${name}>`;
