import type { SyntheticEvent } from 'react'

type InputEvent = SyntheticEvent<HTMLInputElement>

const nameHighlighted = ({ currentTarget: input }: InputEvent) => {
  const list = document.getElementById(input.getAttribute('aria-controls') ?? '')
  const option = list?.querySelector('[data-combobox-selected]')
  if (option) input.setAttribute('aria-activedescendant', option.id)
  else input.removeAttribute('aria-activedescendant')
}

/** Names the highlighted option of a list to assistive technology, and none after something is typed. Mantine would keep the last one, which may be gone. */
export const highlightedOption = {
  onInput: ({ currentTarget }: InputEvent) => currentTarget.removeAttribute('aria-activedescendant'),
  onKeyUp: nameHighlighted,
}
