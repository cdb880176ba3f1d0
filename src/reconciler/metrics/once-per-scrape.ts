/** All gauges of one scrape are collected in one turn of the event loop, so they share one answer. */
export function oncePerScrape<T>(ask: () => T): () => T {
  let answer: { readonly value: T } | undefined;
  return () => {
    if (!answer) {
      answer = { value: ask() };
      setImmediate(() => (answer = undefined));
    }
    return answer.value;
  };
}
