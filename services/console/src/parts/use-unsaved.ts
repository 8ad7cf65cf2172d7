import { useEffect, useRef } from 'react'

/** Missing in Safari before 26.2 and Firefox before 147, where only a closed tab asks. */
const navigation = window.navigation as Navigation | undefined

const question = 'What you changed is not saved. Leave this page, and lose it?'

/**
 * Asks before the user leaves a page with unsaved changes: by a link, the buttons of the browser, or by closing it. `leave`
 * is called before the page itself goes on after saving.
 */
export function useUnsaved(isChanged: boolean): { leave: () => void } {
  const mayLeave = useRef(false)
  useEffect(() => {
    if (!isChanged) return
    mayLeave.current = false
    const onNavigate = (event: NavigateEvent) => {
      const isHere = new URL(event.destination.url).pathname === location.pathname
      // Without the same document the browser asks by itself.
      if (mayLeave.current || isHere || !event.destination.sameDocument || !event.cancelable) return
      if (!confirm(question)) event.preventDefault()
    }
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!mayLeave.current) event.preventDefault()
    }
    navigation?.addEventListener('navigate', onNavigate)
    window.addEventListener('beforeunload', onUnload)
    return () => {
      navigation?.removeEventListener('navigate', onNavigate)
      window.removeEventListener('beforeunload', onUnload)
    }
  }, [isChanged])
  return { leave: () => (mayLeave.current = true) }
}
