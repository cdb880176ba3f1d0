import type { ComponentChildren } from 'preact';

interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly T[];
  readonly titles: Readonly<Record<T, string>>;
  readonly chosen: T;
  readonly choose: (tab: T) => void;
  readonly children: ComponentChildren;
}

/** Arrows go from tab to tab, as in the ARIA pattern of that name. */
export function Tabs<T extends string>({ label, tabs, titles, chosen, choose, children }: TabsProps<T>) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const to = step === undefined ? undefined : tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
    document.querySelector<HTMLElement>(`#tab-${to}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            type="button"
            role="tab"
            id={`tab-${tab}`}
            aria-selected={tab === chosen}
            aria-controls="tab-content"
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => choose(tab)}
          >
            {titles[tab]}
          </button>
        ))}
      </div>
      <section class={`tab-content tab-${chosen}`} role="tabpanel" id="tab-content" aria-labelledby={`tab-${chosen}`}>
        {children}
      </section>
    </>
  );
}
