/** The button that empties a choice, which keys and assistive technology reach, too. */
export const clearButton = (label: string) => ({
  'aria-label': `Clear ${label.toLowerCase()}`,
  'aria-hidden': false,
  tabIndex: 0,
})
