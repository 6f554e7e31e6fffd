import type { QueryClient } from '@tanstack/react-query';
import { createBrowserRouter, type RouteObject } from 'react-router';
import { configQuery, meQuery } from './api/queries/account.ts';
import { DEPLOYMENT_TABS } from './modules/paths.ts';
import { ErrorPage } from './pages/ErrorPage.tsx';
import { HomePage } from './pages/HomePage.tsx';
import { NotFoundPage } from './pages/NotFoundPage.tsx';
import { TeamLayout } from './pages/TeamLayout.tsx';

/** Pages come when they are visited; what draws the frame comes at once. */
const page =
  (load: () => Promise<Record<string, unknown>>, name: string): RouteObject['lazy'] =>
  async () => ({ Component: (await load())[name] as React.ComponentType });

const deploymentPage = page(() => import('./pages/DeploymentPage.tsx'), 'DeploymentPage');

export const routes: RouteObject[] = [
  {
    errorElement: <ErrorPage />,
    HydrateFallback: () => undefined,
    children: [
      { path: '/', element: <HomePage /> },
      { path: '/sign-in', lazy: page(() => import('./pages/SignInPage.tsx'), 'SignInPage') },
      {
        path: '/teams/:teamId',
        element: <TeamLayout />,
        children: [
          {
            // A page that breaks leaves the rail standing.
            errorElement: <ErrorPage inside />,
            children: [
              { index: true, lazy: page(() => import('./pages/DashboardPage.tsx'), 'DashboardPage') },
              { path: 'deployments', lazy: page(() => import('./pages/DeploymentsPage.tsx'), 'DeploymentsPage') },
              {
                path: 'deployments/:name/delete',
                lazy: page(() => import('./pages/DeleteDeploymentPage.tsx'), 'DeleteDeploymentPage'),
              },
              {
                path: 'deployments/:name',
                lazy: deploymentPage,
                children: [...DEPLOYMENT_TABS.filter((tab) => tab !== 'overview'), 'history/:revision'].map((path) => ({
                  path,
                  element: <></>,
                })),
              },
              { path: 'catalogue', lazy: page(() => import('./pages/CataloguePage.tsx'), 'CataloguePage') },
              { path: 'catalogue/:template', lazy: page(() => import('./pages/DeployPage.tsx'), 'DeployPage') },
              { path: 'new-template', lazy: page(() => import('./pages/NewTemplatePage.tsx'), 'NewTemplatePage') },
              {
                path: 'templates/:template',
                lazy: page(() => import('./pages/TemplateEditorPage.tsx'), 'TemplateEditorPage'),
              },
              {
                path: 'templates/:template/versions',
                lazy: page(() => import('./pages/TemplateVersionsPage.tsx'), 'TemplateVersionsPage'),
              },
              { path: 'members', lazy: page(() => import('./pages/MembersPage.tsx'), 'MembersPage') },
              { path: 'usage', lazy: page(() => import('./pages/UsagePage.tsx'), 'UsagePage') },
              { path: 'audit', lazy: page(() => import('./pages/AuditPage.tsx'), 'AuditPage') },
              { path: 'account', lazy: page(() => import('./pages/AccountPage.tsx'), 'AccountPage') },
              { path: '*', element: <NotFoundPage /> },
            ],
          },
        ],
      },
      { path: '*', element: <NotFoundPage /> },
    ],
  },
];

/** The first questions go out with the first script, not after it. */
export function makeRouter(client: QueryClient): ReturnType<typeof createBrowserRouter> {
  void client.prefetchQuery(configQuery);
  void client.prefetchQuery(meQuery);
  return createBrowserRouter(routes);
}
