import { useState } from 'preact/hooks';
import type { DatasetView } from '../../wire.ts';
import { texts } from '../state/settings.ts';
import { Shown } from '../widgets/shown.tsx';

export function ManifestsTab({ manifests }: { readonly manifests: DatasetView['manifests'] }) {
  return (
    <>
      <p class="hint">{texts.value.redacted}</p>
      {manifests.map(({ title, yaml }) => (
        <Manifest key={title} title={title} yaml={yaml} />
      ))}
    </>
  );
}

function Manifest({ title, yaml }: { readonly title: string; readonly yaml: string }) {
  const t = texts.value;
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(yaml);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <section class="manifest">
      <header>
        <h2>
          <Shown text={title} />
        </h2>
        <button type="button" class="quiet" onClick={() => void copy().catch(() => setCopied(false))}>
          <span role="status">{isCopied ? t.copied : t.copy}</span>
        </button>
      </header>
      <pre tabIndex={0}>
        <code>
          <Shown text={yaml} />
        </code>
      </pre>
    </section>
  );
}
