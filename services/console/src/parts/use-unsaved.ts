import { useEffect, useRef } from 'react'

/** Missing in Safari before 26.2 and Firefox before 147, where only a closed tab asks. */
const navigation = window.navigation as Navigation | undefined

const notSaved = 'What you changed is not saved.'

interface Unsaved {
  lost: string
  mayLeave: { current: boolean }
}

/** What is not saved now. */
const unsaved = new Set<Unsaved>()

/** What a way out of the page loses, in one text for one question; empty if nothing. */
const lostInWords = () =>
  [...new Set([...unsaved].filter(({ mayLeave }) => !mayLeave.current).map(({ lost }) => lost))].join(' ')

/** Asks before a sign-out loses what is not saved. */
export function maySignOut(): boolean {
  const lost = lostInWords()
  return !lost || confirm(`${lost} Sign out, and lose it?`)
}

function onNavigate(event: NavigateEvent) {
  const lost = lostInWords()
  const isHere = new URL(event.destination.url).pathname === location.pathname
  // Without the same document the browser asks by itself.
  if (!lost || isHere || !event.destination.sameDocument || !event.cancelable) return
  if (!confirm(`${lost} Leave this page, and lose it?`)) event.preventDefault()
}

function onUnload(event: BeforeUnloadEvent) {
  if (lostInWords()) event.preventDefault()
}

/** After a sign-out the page is left without another question. */
export const leaveUnsaved = (): void => unsaved.forEach(({ mayLeave }) => (mayLeave.current = true))

/**
 * Asks before the user leaves a page with unsaved changes: by a link, the buttons of the browser, or by closing it. `leave`
 * is called before the page itself goes on after saving. `mayLose`
 * asks before a form is closed on its page. `lost` says what is lost.
 */
export function useUnsaved(isChanged: boolean, lost = notSaved): { leave: () => void; mayLose: () => boolean } {
  const mayLeave = useRef(false)
  useEffect(() => {
    if (!isChanged) return
    mayLeave.current = false
    const one = { lost, mayLeave }
    unsaved.add(one)
    // Adding the same listener again changes nothing.
    navigation?.addEventListener('navigate', onNavigate)
    window.addEventListener('beforeunload', onUnload)
    return () => {
      unsaved.delete(one)
      if (unsaved.size > 0) return
      navigation?.removeEventListener('navigate', onNavigate)
      window.removeEventListener('beforeunload', onUnload)
    }
  }, [isChanged, lost])
  return {
    leave: () => (mayLeave.current = true),
    mayLose: () => !isChanged || confirm(`${lost} Close the form, and lose it?`),
  }
}
