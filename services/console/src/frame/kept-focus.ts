import { useEffect } from 'react'

/** What opens over a page and goes away again. */
const layers = '[role=dialog], [role=menu], .toasts, .over-page'

interface Place {
  element: HTMLElement
  isInLayer: boolean
  /** the element and everything that it is in, from the inside to the outside */
  around: readonly HTMLElement[]
}

function placeOf(element: HTMLElement): Place {
  const around: HTMLElement[] = []
  for (let one: HTMLElement | null = element; one && one !== document.body; one = one.parentElement) around.push(one)
  return { element, isInLayer: element.closest(layers) !== null, around }
}

function takesFocus(element: HTMLElement): boolean {
  element.focus({ preventScroll: true })
  return document.activeElement === element
}

/** The title of the section, or else of the page, in which an element was. */
function titleOf({ around }: Place): HTMLElement | null {
  const part = around.find((one) => one.isConnected && one.querySelector('h1, h2'))
  return part?.querySelector<HTMLElement>('h1, h2') ?? null
}

const isAbout = ({ type, target }: MutationRecord, element: HTMLElement) =>
  type === 'attributes' && (target === element || (target instanceof HTMLFormElement && target.contains(element)))

/** Whether it was in a row of a long list, which leaves the page when the user scrolls. The browser goes on from there. */
const isOfScrolledRow = ({ around }: Place) => around.some((one) => !one.isConnected && one.dataset['index'])

/**
 * Keeps the focus on the page. After a dialog, a menu or the sign-in that covers the page, what had it before gets it back. If what
 * had it is gone, the title of its section or page gets it, also when the title comes later. Mantine does so only for what is
 * opened after it was mounted. A button that was disabled for a while gets it back too.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    const start = placeOf(document.querySelector<HTMLElement>('#content')!)
    // What had the focus last on the page, and then in each thing over it.
    let places = [start]
    let isAfterLayer = false
    let isLost = false
    // The user clicked beside everything that takes the focus.
    let isLeft = false

    const remember = ({ target, type }: Event) => {
      if (!(target instanceof HTMLElement)) return
      // Safari does not give the focus to a button that is clicked.
      const element = type === 'click' ? target.closest<HTMLElement>('button, a[href]') : target
      isLeft = !element && document.activeElement === document.body
      if (!element) return
      const place = placeOf(element)
      isAfterLayer ||= places.some(({ isInLayer }) => isInLayer)
      places = place.isInLayer ? [...places.filter((one) => one.element !== element), place] : [place]
    }
    const onInput = ({ target }: Event) => {
      if (target instanceof Element && target !== document.body && !target.closest(layers)) isAfterLayer = false
    }
    const keep = (changes: MutationRecord[]) => {
      const last = places.at(-1)?.element
      if (document.activeElement !== document.body) isLost = false
      // It waits for the answer to its form.
      else if (last?.closest('form[inert]')) return
      // A button is disabled while its request is under way, or its whole form, and the browser takes the focus from it.
      else if (last && changes.some((change) => isAbout(change, last))) takesFocus(last)
      else if (isLost || !last?.isConnected) giveBack()
    }
    const giveBack = () => {
      while (places.at(-1)?.isInLayer && !places.at(-1)?.element.isConnected) {
        places.pop()
        isAfterLayer = true
      }
      const place = places.at(-1) ?? start
      if (!isAfterLayer && (isLeft || isOfScrolledRow(place))) return
      if (place.element.isConnected && takesFocus(place.element)) return
      isLost = true
      const title = titleOf(place)
      if (!title) return
      title.tabIndex = -1
      takesFocus(title)
      // A part of a long form was removed: its title may be above the window.
      if (!isAfterLayer && title.matches('section[id] h2')) title.scrollIntoView({ block: 'nearest' })
    }

    const observer = new MutationObserver(keep)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled', 'inert'] })
    const listeners = new AbortController()
    const options = { capture: true, signal: listeners.signal }
    for (const type of ['focusin', 'click']) document.addEventListener(type, remember, options)
    for (const type of ['keydown', 'pointerdown']) document.addEventListener(type, onInput, options)
    return () => {
      observer.disconnect()
      listeners.abort()
    }
  }, [])
}
