import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'

const tooltipId = 'meaning'

/**
 * One tooltip for every element with `data-means`: it opens for the pointer, a tap, and the keyboard if the element has a tab
 * stop. Escape closes it. Elements of long lists stay plain.
 */
export function Meanings({ page }: { page: string }) {
  const [target, setTarget] = useState<HTMLElement | null>(null)
  useEffect(() => {
    const show = ({ target: at }: Event) => {
      if (!(at instanceof Element) || at.closest(`#${tooltipId}`)) return
      setTarget(at.closest<HTMLElement>('[data-means]'))
    }
    const hide = ({ key }: KeyboardEvent) => key === 'Escape' && setTarget(null)
    document.addEventListener('pointerover', show)
    document.addEventListener('focusin', show)
    document.addEventListener('keydown', hide)
    return () => {
      document.removeEventListener('pointerover', show)
      document.removeEventListener('focusin', show)
      document.removeEventListener('keydown', hide)
    }
  }, [])
  useEffect(() => setTarget(null), [page])
  useEffect(() => {
    target?.setAttribute('aria-describedby', tooltipId)
    return () => target?.removeAttribute('aria-describedby')
  }, [target])
  if (target === null) return null
  return (
    <Tooltip
      id={tooltipId}
      target={target}
      label={target.dataset['means']}
      opened
      interactive
      withArrow
      multiline
      maw={320}
    />
  )
}
