import './mantine.css'
import './console.css'
import { MantineProvider, createTheme, type CSSVariablesResolver } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { StrictMode, type KeyboardEvent } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { firstChoices } from './parts/first-choices.ts'
import { highlightedOption } from './parts/highlighted-option.ts'
import { NoChoice } from './parts/no-choice.tsx'
import { queries } from './session/queries.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
setNonce(nonce) // for the styles that dialogs add while they are open

const keepFormOpen = (event: KeyboardEvent<HTMLInputElement>) => {
  if (event.key === 'Enter' && event.currentTarget.value.trim() === '') event.preventDefault()
}

// A list scrolls itself (console.css): nothing in it is taken for a part that no key reaches.
const list = { filter: firstChoices, withScrollArea: false, ...highlightedOption }
const chosenFromList = { ...list, nothingFoundMessage: <NoChoice>Nothing found</NoChoice> }

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: 7,
  autoContrast: true,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // The header of a dialog is not the header of the page.
    Modal: {
      defaultProps: { attributes: { header: { role: 'presentation' } } },
      styles: { title: { overflowWrap: 'anywhere' } },
    },
    // A list that opens is in a landmark of the page.
    Combobox: { defaultProps: { portalProps: { target: '#content' } } },
    Select: { defaultProps: chosenFromList },
    MultiSelect: { defaultProps: chosenFromList },
    // Only items are in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#content' } } },
    // Enter adds a tag, or does nothing: it does not save the form.
    TagsInput: { defaultProps: { ...list, onKeyDown: keepFormOpen } },
  },
})

/** More contrast than Mantine's own secondary colors: 4.5:1 on every background of the console. */
const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-red-text': 'var(--mantine-color-red-9)',
    '--mantine-color-orange-text': '#9c3308',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-green-light-color': '#1c5f2d',
    '--mantine-color-orange-light-color': '#9c3308',
    '--mantine-color-red-light-color': '#a61e1e',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-red-text': 'var(--mantine-color-red-3)',
    '--mantine-color-orange-text': 'var(--mantine-color-orange-3)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-green-light-color': 'var(--mantine-color-green-3)',
    '--mantine-color-orange-light-color': 'var(--mantine-color-orange-3)',
    '--mantine-color-red-light-color': 'var(--mantine-color-red-3)',
  },
})

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
