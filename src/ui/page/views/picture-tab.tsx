/** From the store to the applications: each part, its state, and why it waits. A list where the screen is narrow. */
import { useMemo, useState } from 'preact/hooks';
import type { Picture, PicturePart } from '../../wire.ts';
import { CARD_WIDTH, type Layout, layout, type PlacedCard } from '../picture/layout.ts';
import { countOf } from '../picture/columns.ts';
import { texts } from '../state/settings.ts';
import { StateIcon } from '../widgets/icons.tsx';
import { isNarrow } from '../widgets/narrow.ts';
import { MiddleCut, Shown, titleOf } from '../widgets/shown.tsx';

const FEW = 8;
const ALL_PARTS = Number.MAX_SAFE_INTEGER;

export function PictureTab({ picture }: { readonly picture: Picture }) {
  const t = texts.value;
  const [most, setMost] = useState(FEW);
  const placed = useMemo(() => layout(picture, most), [picture, most]);
  if (picture.parts.length === 0) return <p class="empty">{t.noPicture}</p>;
  const isFolded = placed.cards.some(({ parts }) => parts.length > 1);
  return (
    <>
      <div class="picture-scroll" tabIndex={0} role="group" aria-label={t.pictureLabel}>
        {isNarrow.value ? <Listed placed={placed} /> : <Drawn placed={placed} />}
      </div>
      {isFolded || most !== FEW ? (
        <button type="button" class="quiet" onClick={() => setMost(most === FEW ? ALL_PARTS : FEW)}>
          {most === FEW ? t.showAll : t.showFew}
        </button>
      ) : null}
      <Waiting parts={picture.parts.filter(({ why }) => why !== undefined)} />
    </>
  );
}

function Drawn({ placed: { width, height, columns, cards, links } }: { readonly placed: Layout }) {
  const t = texts.value;
  return (
    <div class="picture" style={{ width: `${width}px`, height: `${height}px` }}>
      <svg class="links" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
        {links.map(({ from, to, path, state }) => (
          <path key={`${from} ${to}`} d={path} class={`link state-${state}`} />
        ))}
      </svg>
      {columns.map(({ roles, x }) => (
        <h2 class="column-title" style={{ left: `${x}px`, width: `${CARD_WIDTH}px` }}>
          {roles.map((role) => t.roles[role]).join(' · ')}
        </h2>
      ))}
      <ul class="cards">
        {cards.map((card) => (
          <li
            key={card.id}
            class={`card state-${card.state}`}
            style={{ left: `${card.x}px`, top: `${card.y}px`, width: `${CARD_WIDTH}px`, height: `${card.height}px` }}
          >
            <CardText card={card} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Listed({ placed: { columns, cards } }: { readonly placed: Layout }) {
  const t = texts.value;
  return (
    <>
      {columns.map(({ roles, x }) => (
        <section class="listed">
          <h2>{roles.map((role) => t.roles[role]).join(' · ')}</h2>
          <ul>
            {cards
              .filter((card) => card.x === x)
              .map((card) => (
                <li key={card.id} class={`card state-${card.state}`}>
                  <CardText card={card} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function CardText({ card }: { readonly card: PlacedCard }) {
  const t = texts.value;
  const [part] = card.parts;
  if (!part) return null;
  if (card.parts.length > 1)
    return (
      <p class="card-title">
        <StateIcon state={card.state} label={t.states[card.state]} />
        <span>{t.folded(countOf(card))}</span>
      </p>
    );
  return (
    <>
      <p class="card-title" title={titleOf(part.title)}>
        <StateIcon state={part.state} label={t.states[part.state]} />
        <MiddleCut text={part.title} />
        {part.more === undefined ? null : <small>{t.more(part.more)}</small>}
      </p>
      {part.detail === undefined ? null : (
        <p class="card-detail cut" title={titleOf(part.detail)}>
          {part.state === 'well' ? null : <b>{t.states[part.state]} </b>}
          <Shown text={part.detail} />
        </p>
      )}
      {part.why === undefined ? null : (
        <p class="card-why" title={titleOf(part.why)}>
          <Shown text={part.why} />
        </p>
      )}
    </>
  );
}

/** In full what a card may cut off. */
function Waiting({ parts }: { readonly parts: readonly PicturePart[] }) {
  const t = texts.value;
  if (parts.length === 0) return null;
  return (
    <section class="waiting">
      <h2>{t.whyWaits}</h2>
      <ul class="lines">
        {parts.map((part) => (
          <li key={part.id}>
            <StateIcon state={part.state} label={t.states[part.state]} />{' '}
            <b>
              <Shown text={part.title} />
            </b>{' '}
            <Shown text={part.why ?? ''} />
          </li>
        ))}
      </ul>
    </section>
  );
}
