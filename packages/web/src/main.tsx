import './no-eval.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { onSignedOut } from './api/client.ts';
import { meQuery } from './api/queries/account.ts';
import { makeQueryClient } from './api/query-client.ts';
import { FeedbackProvider } from './components/feedback.tsx';
import { watchAppearance } from './modules/appearance.ts';
import { makeRouter } from './routes.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');

const queryClient = makeQueryClient();
watchAppearance();
// Whatever finds out first that the login has ended, the whole app knows: the guard then asks to sign in.
onSignedOut(() => queryClient.setQueryData(meQuery.queryKey, null));

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <FeedbackProvider>
        <RouterProvider router={makeRouter(queryClient)} />
      </FeedbackProvider>
    </QueryClientProvider>
  </StrictMode>,
);
window.dispatchEvent(new Event('berth:drawn'));
