import '@mantine/core/styles.css'
import './console.css'
import { MantineProvider, createTheme } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { queries } from './session/queries.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
setNonce(nonce) // for the styles that dialogs add while they are open

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: 7,
  autoContrast: true,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  // The header of a dialog is not the header of the page.
  components: { Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } } },
})

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
