import type { MouseEvent } from 'react'

/** Gives the focus of a button that goes away to the input whose choice it emptied. */
const toItsInput = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
  if (currentTarget !== document.activeElement) return
  currentTarget.closest('.mantine-Input-wrapper')?.querySelector('input')?.focus()
}

/** The button that empties a choice, which keys and assistive technology reach, too. */
export const clearButton = (label: string) => ({
  'aria-label': `Clear ${label.toLowerCase()}`,
  'aria-hidden': false,
  tabIndex: 0,
  onClick: toItsInput,
})
