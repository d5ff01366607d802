// Files that are dropped onto a part of the page.

/** Takes files that are dropped onto the element, whose data-drop is "over" while they are held above it. */
export function takeDrops(element, take) {
  const isOfFiles = ({ dataTransfer }) => Boolean(dataTransfer?.types.includes("Files"));
  for (const event of ["dragenter", "dragover"])
    element.addEventListener(event, (dragged) => {
      if (!isOfFiles(dragged)) return;
      dragged.preventDefault();
      element.dataset.drop = "over";
    });
  element.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!element.contains(relatedTarget)) delete element.dataset.drop;
  });
  element.addEventListener("drop", (dropped) => {
    delete element.dataset.drop;
    if (!isOfFiles(dropped)) return;
    dropped.preventDefault();
    take([...dropped.dataTransfer.files]);
  });
}
