import { effect, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { DatasetView } from '../../wire.ts';
import { Answered, fetchDataset } from './requests.ts';
import { touched } from './session.ts';
import { language } from './settings.ts';

export type Reading = { readonly step: 'loading' } | { readonly step: 'gone' } | { readonly step: 'read'; readonly view: DatasetView };

/** A crowd of changes reads the view once in this time: for the server it is some forty requests. */
const PAUSE_MS = 1000;
/** For what no change announces, such as samples. */
const REFRESH_MS = 15_000;

/** All about one Dataset, read again whenever something of it changed. What was read stays until something newer is. */
export function useDatasetView(namespace: string, name: string): Reading {
  const reading = useSignal<Reading>({ step: 'loading' });
  useEffect(() => {
    const key = `${namespace}/${name}`;
    let [isOver, isReading, isDue, endedAt] = [false, false, false, -PAUSE_MS];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (): void => {
      isDue = true;
      if (isReading) return;
      clearTimeout(timer);
      timer = setTimeout(() => void read(), Math.max(0, endedAt + PAUSE_MS - performance.now()));
    };
    const read = async (): Promise<void> => {
      [isReading, isDue] = [true, false];
      const next = await fetchDataset(namespace, name, language.peek()).then(
        (view): Reading => ({ step: 'read', view }),
        (error: unknown): Reading | undefined => (error instanceof Answered && error.status === 404 ? { step: 'gone' } : undefined),
      );
      [isReading, endedAt] = [false, performance.now()];
      if (isOver) return;
      // Without an answer the banner says that the connection is lost.
      if (next) reading.value = next;
      if (isDue) soon();
      else timer = setTimeout(soon, REFRESH_MS);
    };
    const stops = [
      effect(() => {
        if (touched.value === 'all' || touched.value.has(key)) soon();
      }),
      // At once, and for each language: the server words the advice.
      effect(() => {
        if (language.value) soon();
      }),
    ];
    return () => {
      isOver = true;
      for (const stop of stops) stop();
      clearTimeout(timer);
    };
  }, [namespace, name]);
  return reading.value;
}
