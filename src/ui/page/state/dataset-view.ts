import { effect, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { DatasetView } from '../../wire.ts';
import { Answered, fetchDataset } from './requests.ts';
import { touched } from './session.ts';

export type Reading = { readonly step: 'loading' } | { readonly step: 'gone' } | { readonly step: 'read'; readonly view: DatasetView };

/** A crowd of changes reads the view once in this time. */
const PAUSE_MS = 300;
/** For what no change announces, such as samples. */
const REFRESH_MS = 5000;

/** All about one Dataset, read again whenever something of it changed. What was read stays until something newer is. */
export function useDatasetView(namespace: string, name: string): Reading {
  const reading = useSignal<Reading>({ step: 'loading' });
  useEffect(() => {
    const key = `${namespace}/${name}`;
    let [isOver, isReading, isDue] = [false, false, false];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      if (isReading) {
        isDue = true;
        return;
      }
      clearTimeout(timer);
      [isReading, isDue] = [true, false];
      const next = await fetchDataset(namespace, name).then(
        (view): Reading => ({ step: 'read', view }),
        (error: unknown): Reading | undefined => (error instanceof Answered && error.status === 404 ? { step: 'gone' } : undefined),
      );
      isReading = false;
      if (isOver) return;
      // Without an answer the banner says that the connection is lost.
      if (next) reading.value = next;
      timer = setTimeout(() => void read(), isDue ? PAUSE_MS : REFRESH_MS);
    };
    const stop = effect(() => {
      if (touched.value === 'all' || touched.value.has(key)) void read();
    });
    if (reading.peek().step === 'loading') void read();
    return () => {
      isOver = true;
      stop();
      clearTimeout(timer);
    };
  }, [namespace, name]);
  return reading.value;
}
