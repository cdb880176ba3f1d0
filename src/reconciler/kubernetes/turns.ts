/** Who takes longer goes on beside those whose turn it is: pods that hang keep nobody waiting for minutes. */
const TURN_MS = 10_000;

/**
 * Does `slots` things at a time, and of namespaces that wait one each in turn: one with a thousand pods that hang makes another
 * wait for one of them. A library's queue has one line for all.
 *
 * The result of `work` is the caller's; its turn is over when it is done, or after ten seconds.
 */
export function createTurns(slots: number): <T>(namespace: string, work: () => Promise<T>) => Promise<T> {
  /** By namespace; the first of them is next. */
  const lines = new Map<string, Set<() => void>>();
  let taken = 0;

  function next(): void {
    for (const [namespace, line] of lines) {
      if (taken >= slots) return;
      lines.delete(namespace);
      for (const begin of line) {
        line.delete(begin);
        // Behind all others: a map goes over what is put into it meanwhile as well.
        if (line.size > 0) lines.set(namespace, line);
        taken++;
        begin();
        break;
      }
    }
  }
  function over(): void {
    taken--;
    next();
  }

  return (namespace, work) =>
    new Promise((resolve) => {
      const line = lines.get(namespace) ?? new Set();
      lines.set(namespace, line);
      line.add(() => {
        let isOver = false;
        const end = () => {
          if (!isOver) over();
          isOver = true;
        };
        const timer = setTimeout(end, TURN_MS);
        resolve(
          work().finally(() => {
            clearTimeout(timer);
            end();
          }),
        );
      });
      next();
    });
}
