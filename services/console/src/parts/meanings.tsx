import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'

/** The text for screen readers; the tooltip gets another id from its library. */
const meaningId = 'meaning'

/**
 * One tooltip for every element with `data-means`: it opens for the pointer, a tap, and the keyboard if the element has a tab
 * stop. Escape closes it. Elements of long lists stay plain.
 */
export function Meanings({ page }: { page: string }) {
  const [shown, show] = useState<{ target: HTMLElement; hasFocus: boolean } | null>(null)
  const target = shown?.target ?? null
  useEffect(() => {
    const meantBy = ({ target: at }: Event) => (at instanceof Element ? at.closest<HTMLElement>('[data-means]') : null)
    const onPointer = (event: Event) => {
      if (event.target instanceof Element && event.target.closest('[role=tooltip]')) return
      const found = meantBy(event)
      // The page may scroll under a pointer that rests: that does not close what the keyboard opened.
      show((before) => (found ? { target: found, hasFocus: false } : before?.hasFocus ? before : null))
    }
    const onFocus = (event: Event) => {
      const found = meantBy(event)
      show(found && { target: found, hasFocus: true })
    }
    const onBlur = () => show((before) => (before?.hasFocus ? null : before))
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && show(null)
    const listeners = [
      ['pointerover', onPointer],
      ['focusin', onFocus],
      ['focusout', onBlur],
      ['keydown', onKey],
    ] as [string, EventListener][]
    for (const [event, listener] of listeners) document.addEventListener(event, listener)
    return () => {
      for (const [event, listener] of listeners) document.removeEventListener(event, listener)
    }
  }, [])
  useEffect(() => show(null), [page])
  useEffect(() => {
    target?.setAttribute('aria-describedby', meaningId)
    return () => target?.removeAttribute('aria-describedby')
  }, [target])
  if (target === null) return null
  const text = target.dataset['means']
  return (
    <>
      <span hidden id={meaningId}>
        {text}
      </span>
      <Tooltip target={target} label={text} opened interactive withArrow multiline maw={320} withinPortal={false} />
    </>
  )
}
