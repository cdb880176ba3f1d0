/** Changes in the cluster that an edit would cause, as `sluice diff` prints it. Nothing is written. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DatasetView, EditPreview } from '../../wire.ts';
import { editable } from '../format/editable.ts';
import { diffLines } from '../format/diff-lines.ts';
import { postPreview } from '../state/requests.ts';
import { texts } from '../state/settings.ts';
import { Select } from '../widgets/select.tsx';
import { StateIcon } from '../widgets/icons.tsx';
import { Shown } from '../widgets/shown.tsx';

interface PreviewProps {
  readonly namespace: string;
  readonly name: string;
  readonly manifests: DatasetView['manifests'];
}
type Answer =
  | { readonly step: 'none' | 'asking' }
  | { readonly step: 'refused'; readonly why: string }
  | { readonly step: 'answered'; readonly preview: EditPreview };

export function PreviewTab({ namespace, name, manifests }: PreviewProps) {
  const t = texts.value;
  const [from, setFrom] = useState(manifests[0]?.title ?? '');
  const [text, setText] = useState(editable(manifests[0]?.yaml ?? ''));
  const [answer, setAnswer] = useState<Answer>({ step: 'none' });
  const answered = useRef<HTMLDivElement>(null);
  // Below the manifest, the answer would be out of sight.
  useEffect(() => {
    if (answer.step === 'answered' || answer.step === 'refused') answered.current?.scrollIntoView({ block: 'start' });
  }, [answer]);
  const ask = async (): Promise<void> => {
    setAnswer({ step: 'asking' });
    setAnswer(
      await postPreview(namespace, name, text).then(
        (preview): Answer => ({ step: 'answered', preview }),
        (error: unknown): Answer => ({ step: 'refused', why: error instanceof Error ? error.message : String(error) }),
      ),
    );
  };
  const startFrom = (title: string): void => {
    setFrom(title);
    setText(editable(manifests.find((manifest) => manifest.title === title)?.yaml ?? ''));
    setAnswer({ step: 'none' });
  };
  return (
    <form
      class="preview"
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <p class="hint">{t.previewHelp}</p>
      {manifests.length > 1 ? (
        <p class="tools">
          {t.startFrom} <Select label={t.startFrom} values={manifests.map(({ title }) => title)} value={from} change={startFrom} />
        </p>
      ) : null}
      <textarea
        aria-label={t.manifest}
        rows={Math.min(28, Math.max(12, text.split('\n').length + 1))}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p class="tools">
        <button type="submit" disabled={answer.step === 'asking'}>
          {answer.step === 'asking' ? t.previewing : t.preview}
        </button>
      </p>
      <div aria-live="polite" ref={answered}>
        {answer.step === 'refused' ? (
          <p class="fault">
            <StateIcon state="failing" /> <Shown text={t.failed(answer.why)} />
          </p>
        ) : null}
        {answer.step === 'answered' ? <Answered preview={answer.preview} /> : null}
      </div>
    </form>
  );
}

function Answered({ preview: { faults, warnings, changes } }: { readonly preview: EditPreview }) {
  const t = texts.value;
  return (
    <>
      <Listed title={t.faults} lines={faults} state="failing" />
      <Listed title={t.warnings} lines={warnings} state="warning" />
      {faults.length > 0 ? null : <h2>{changes.length === 0 ? t.noChanges : t.changes(changes.length)}</h2>}
      {changes.map(({ object, effect, diff }) => (
        <section class="change" key={object}>
          <h3>
            <Shown text={object} />{' '}
            <span class="object">
              <Shown text={effect} />
            </span>
          </h3>
          <pre class="diff" tabIndex={0}>
            {diffLines(diff).map(({ kind, text }) => (
              <span class={`diff-${kind}`}>
                <Shown text={text} />
                {'\n'}
              </span>
            ))}
          </pre>
        </section>
      ))}
    </>
  );
}

function Listed({
  title,
  lines,
  state,
}: {
  readonly title: string;
  readonly lines: readonly string[];
  readonly state: 'failing' | 'warning';
}) {
  if (lines.length === 0) return null;
  return (
    <section class={`found state-${state}`}>
      <h2>
        <StateIcon state={state} /> {title}
      </h2>
      <ul class="lines">
        {lines.map((line) => (
          <li>
            <Shown text={line} />
          </li>
        ))}
      </ul>
    </section>
  );
}
