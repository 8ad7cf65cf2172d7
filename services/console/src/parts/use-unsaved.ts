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

/** Asks before a sign-out loses what is not saved. */
export function maySignOut(): boolean {
  const lost = new Set([...unsaved].filter(({ mayLeave }) => !mayLeave.current).map((one) => one.lost))
  return lost.size === 0 || confirm(`${[...lost].join(' ')} Sign out, and lose it?`)
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
    const onNavigate = (event: NavigateEvent) => {
      const isHere = new URL(event.destination.url).pathname === location.pathname
      // Without the same document the browser asks by itself.
      if (mayLeave.current || isHere || !event.destination.sameDocument || !event.cancelable) return
      if (!confirm(`${lost} Leave this page, and lose it?`)) event.preventDefault()
    }
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!mayLeave.current) event.preventDefault()
    }
    navigation?.addEventListener('navigate', onNavigate)
    window.addEventListener('beforeunload', onUnload)
    return () => {
      unsaved.delete(one)
      navigation?.removeEventListener('navigate', onNavigate)
      window.removeEventListener('beforeunload', onUnload)
    }
  }, [isChanged, lost])
  return {
    leave: () => (mayLeave.current = true),
    mayLose: () => !isChanged || confirm(`${lost} Close the form, and lose it?`),
  }
}
